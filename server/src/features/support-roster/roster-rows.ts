import type { RosterRow } from '@portal/contract/support-roster';
import { Invalid } from '@portal/kit/problems';
import type { Span } from '@portal/platforms/roster/roster-source';
import type { PeopleList } from './phone-numbers.ts';
import { formatDay, readDay, readInstant } from './portal-roster/shift-times.ts';
import { findNumber } from './read-on-call.ts';
import type { SupportTeam } from './support-team.ts';

const maxSpanMs = 2 * 366 * 86_400_000;

/** Parses days "YYYY-MM-DD" in the given time zone; the end is exclusive. Throws Invalid. */
export function readWindow({ startDate, endDate }: { startDate: string; endDate: string }, timeZone: string): Span {
  const [from, to] = [readDay(startDate, timeZone), readDay(endDate, timeZone)];
  if (!from || !to) throw new Invalid('startDate and endDate must be days such as 2026-01-31.');
  if (to <= from) throw new Invalid('endDate must be after startDate.');
  if (to.getTime() - from.getTime() > maxSpanMs) throw new Invalid('A roster request may cover at most two years.');
  return { from, to };
}

/** Parses an ISO instant; now if there is none. Throws Invalid. */
export function readMoment(at: string | undefined): Date {
  if (at === undefined) return new Date();
  const moment = readInstant(at);
  if (!moment) throw new Invalid('at must be an instant such as 2026-01-31T18:00:00Z.');
  return moment;
}

/** Returns the shifts that overlap the span, earliest first. */
export async function readRoster(
  team: SupportTeam,
  people: PeopleList,
  span: Span,
  timeZone: string,
): Promise<RosterRow[]> {
  const reading = await team.read(span);
  return reading.shifts.map(({ personId, name, start, end }) => ({
    name,
    number: people.show(findNumber(reading, people, { personId, name })),
    date: formatDay(start, timeZone),
    start: start.toISOString(),
    end: end.toISOString(),
    personId,
  }));
}
