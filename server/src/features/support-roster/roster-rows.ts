import type { RosterRow } from '@portal/contract/support-roster';
import { Invalid } from '@portal/kit/problems';
import type { Span } from '@portal/platforms/roster/roster-source';
import type { PeopleList } from './phone-numbers.ts';
import { formatDay, readDay } from './portal-roster/shift-times.ts';
import { findMaskedNumber } from './read-on-call.ts';
import type { SupportTeam } from './support-team.ts';

const maxSpanMs = 2 * 366 * 86_400_000;

/** Days "YYYY-MM-DD" by the clock of the zone, the end not included. Throws Invalid. */
export function readWindow({ startDate, endDate }: { startDate: string; endDate: string }, timeZone: string): Span {
  const [from, to] = [readDay(startDate, timeZone), readDay(endDate, timeZone)];
  if (!from || !to) throw new Invalid('startDate and endDate are days such as 2026-01-31.');
  if (to <= from) throw new Invalid('endDate must come after startDate.');
  if (to.getTime() - from.getTime() > maxSpanMs) throw new Invalid('Ask for two years of the roster at most.');
  return { from, to };
}

/** The shifts that touch the span, earliest first. */
export async function readRoster(
  team: SupportTeam,
  people: PeopleList,
  span: Span,
  timeZone: string,
): Promise<RosterRow[]> {
  const reading = await team.read(span);
  return reading.shifts.map(({ personId, name, start, end }) => ({
    name,
    number: findMaskedNumber(reading, people, { personId, name }),
    date: formatDay(start, timeZone),
    start: start.toISOString(),
    end: end.toISOString(),
    personId,
  }));
}
