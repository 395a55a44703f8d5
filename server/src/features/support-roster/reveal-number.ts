import { NotFound } from '@portal/kit/problems';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { getOnCallSpan } from './on-call.ts';
import { getYearStart } from './portal-roster/shift-times.ts';
import { findNumber } from './read-on-call.ts';
import type { SupportTeams } from './support-teams.ts';

/**
 * Returns a roster member's number in plain text and audits it first. Throws NotFound for anyone
 * else.
 */
export async function revealNumber(
  { permissions, audit }: Pick<Dependencies, 'permissions' | 'audit'>,
  teams: SupportTeams,
  caller: Caller,
  { team: teamName, personId }: { readonly team: string; readonly personId: string },
): Promise<string | null> {
  await permissions.require(caller, 'roster.reveal', { team: teamName, resource: teamName });
  const { name: environment, timeZone } = caller.environment;
  const team = teams.require(environment, teamName);
  const now = new Date();
  const reading = await team.read({ from: getYearStart(now, timeZone), to: getOnCallSpan(now).to });
  const person = reading.shifts.find((shift) => shift.personId === personId);
  if (!person) throw new NotFound(`There is no such person on the roster of ${teamName}.`);
  await audit.write(caller, {
    action: 'roster.reveal',
    resource: teamName,
    description: `Phone number of ${person.name} revealed`,
    outcome: 'done',
  });
  return findNumber(reading, teams.people, person);
}
