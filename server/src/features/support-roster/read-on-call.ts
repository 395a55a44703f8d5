import type { OnCall } from '@portal/contract/support-roster';
import { Unreachable } from '@portal/kit/problems';
import { onCallAt, type Spell, spanOfInterest } from './on-call.ts';
import { maskNumber, type PeopleList } from './phone-numbers.ts';
import type { SupportTeam, TeamReading } from './support-team.ts';

/** Who is on support of the team. A source that was never reached leaves it empty and says so. */
export async function readOnCall(team: SupportTeam, people: PeopleList, now: Date): Promise<OnCall> {
  const about = { team: team.name, source: team.kind };
  let reading: TeamReading;
  try {
    reading = await team.read(spanOfInterest(now));
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { ...about, now: [], next: null, gaps: [], readAt: null, problem: error.message };
  }
  const { shifts, readAt, problem } = reading;
  const { now: spells, next, gaps } = onCallAt(shifts, now);
  const person = ({ personId, name }: Spell) => ({
    personId,
    name,
    number: maskedNumberOf(reading, people, { personId, name }),
  });
  return {
    ...about,
    now: spells.map((spell) => ({ ...person(spell), until: spell.to.toISOString() })),
    next: next && { ...person(next), from: next.from.toISOString() },
    gaps: gaps.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() })),
    readAt: readAt.toISOString(),
    problem,
  };
}

/** In the clear; null where nobody knows it. */
export function numberOf(
  { numbers }: Pick<TeamReading, 'numbers'>,
  people: PeopleList,
  { personId, name }: Pick<Spell, 'personId' | 'name'>,
): string | null {
  return numbers.get(personId) ?? people.numberOf(name) ?? null;
}

export function maskedNumberOf(
  reading: Pick<TeamReading, 'numbers'>,
  people: PeopleList,
  person: Pick<Spell, 'personId' | 'name'>,
): string | null {
  const number = numberOf(reading, people, person);
  return number === null ? null : maskNumber(number);
}
