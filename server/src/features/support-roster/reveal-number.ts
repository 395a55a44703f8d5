import { NotFound } from '@portal/kit/problems';
import type { Noted } from '../../access/enforcer.ts';
import type { Caller } from '../../session/caller.ts';
import { getOnCallSpan } from './on-call.ts';
import type { PeopleList } from './phone-numbers.ts';
import { getYearStart } from './portal-roster/shift-times.ts';
import { findNumber } from './read-on-call.ts';
import type { SupportTeam } from './support-team.ts';

interface RevealCall {
  readonly caller: Caller;
  readonly team: SupportTeam;
  readonly noted: Noted;
}

/** Returns a roster member's number in plain text. Throws NotFound for anyone else. */
export async function revealNumber(
  people: PeopleList,
  { caller, team, noted }: RevealCall,
  personId: string,
): Promise<string | null> {
  const now = new Date();
  const span = { from: getYearStart(now, caller.environment.timeZone), to: getOnCallSpan(now).to };
  const reading = await team.read(span);
  const person = reading.shifts.find((shift) => shift.personId === personId);
  if (!person) throw new NotFound(`There is no such person on the roster of ${team.name}.`);
  noted.description = `Phone number of ${person.name} revealed`;
  return findNumber(reading, people, person);
}
