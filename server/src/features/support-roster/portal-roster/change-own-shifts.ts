import type { RequestOf } from '@portal/contract/endpoint';
import { findShiftError, type PortalShift, type savePortalShift } from '@portal/contract/support-roster';
import { Conflict, NotFound } from '@portal/kit/problems';
import { outcomeOf } from '../../../audit/audit-trail.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { InvalidPayload } from '../../../http/problems.ts';
import type { Caller } from '../../../session/caller.ts';
import { isMasked, maskNumber } from '../phone-numbers.ts';
import type { SupportTeam } from '../support-team.ts';
import type { SupportTeams } from '../support-teams.ts';
import { findShift, type NewShift, removeShift, type StoredShift, saveShift } from './own-shifts.store.ts';
import { readInstant } from './shift-times.ts';

type Tools = Pick<Dependencies, 'permissions' | 'audit' | 'pool'>;

/** Throws NotFound, and Conflict for a team whose roster comes from elsewhere. */
export function requireOwnTeam(teams: SupportTeams, caller: Caller, name: string): SupportTeam {
  const team = teams.require(caller.environment.name, name);
  if (team.kind !== 'portal')
    throw new Conflict(`The roster of ${name} comes from ${sources[team.kind]}: it is changed there.`);
  return team;
}

const sources = { calendar: 'a calendar', PagerDuty: 'PagerDuty' } as const;

/** As people see it: the number masked. */
export function shownShift({ id, name, number, start, end }: StoredShift): PortalShift {
  return {
    id,
    name,
    number: number === null ? null : maskNumber(number),
    start: start.toISOString(),
    end: end.toISOString(),
  };
}

/**
 * Saves a new shift, or another state of one; shifts may overlap. Throws InvalidPayload, Conflict,
 * NotFound.
 */
export async function saveShiftOf(
  tools: Tools,
  teams: SupportTeams,
  caller: Caller,
  { team, id, ...draft }: RequestOf<typeof savePortalShift>,
): Promise<PortalShift> {
  return changed(tools, teams, caller, team, id === null ? 'Shift added' : 'Shift changed', async (where) => {
    const before = id === null ? undefined : await requireShift(tools, where, id);
    const after = shiftOf(draft, before);
    const saved = await saveShift(tools.pool, where, id, after);
    const shift = saved === undefined ? undefined : await findShift(tools.pool, where, saved);
    if (!shift) throw goneShift();
    return { answer: shownShift(shift), before: before && recorded(before), after: recorded(shift) };
  });
}

/** Throws NotFound for one that is gone already. */
export async function removeShiftOf(
  tools: Tools,
  teams: SupportTeams,
  caller: Caller,
  { team, id }: { readonly team: string; readonly id: string },
): Promise<void> {
  await changed(tools, teams, caller, team, 'Shift removed', async (where) => {
    const before = await requireShift(tools, where, id);
    if (!(await removeShift(tools.pool, where, id))) throw goneShift();
    return { answer: undefined, before: recorded(before) };
  });
}

/**
 * Throws Refused for those who may not change the roster, NotFound, and Conflict for a team from
 * elsewhere.
 */
export async function requireChange(
  { permissions }: Pick<Tools, 'permissions'>,
  teams: SupportTeams,
  caller: Caller,
  team: string,
): Promise<void> {
  await permissions.require(caller, 'roster.change', team);
  requireOwnTeam(teams, caller, team);
}

/**
 * Does what maintainers may do to a team's own roster, and writes it down, also where it did not
 * work.
 */
export async function changed<Answer>(
  tools: Pick<Tools, 'permissions' | 'audit'>,
  teams: SupportTeams,
  caller: Caller,
  team: string,
  description: string,
  change: (where: {
    environment: string;
    team: string;
  }) => Promise<{ answer: Answer; before?: unknown; after?: unknown }>,
): Promise<Answer> {
  await requireChange(tools, teams, caller, team);
  const deed = { action: 'roster.change', resource: team, description } as const;
  try {
    const { answer, before, after } = await change({ environment: caller.environment.name, team });
    await tools.audit.write(caller, { ...deed, before, after, outcome: 'done' });
    return answer;
  } catch (error) {
    await tools.audit.write(caller, { ...deed, ...outcomeOf(error) });
    throw error;
  }
}

function shiftOf(
  { name, number, start, end }: Omit<RequestOf<typeof savePortalShift>, 'team' | 'id'>,
  before: StoredShift | undefined,
): NewShift {
  const [from, to] = [readInstant(start), readInstant(end)];
  const fault = findShiftError({ name, start: from?.toISOString() ?? null, end: to?.toISOString() ?? null });
  if (fault || !from || !to) {
    const { field, text } = fault ?? { field: 'start', text: 'Please enter when the shift begins' };
    throw new InvalidPayload({ [field]: text }, `${text}.`);
  }
  return { name: name.trim(), number: numberOf(number, name.trim(), before), start: from, end: to };
}

function numberOf(sent: string | null, name: string, before: StoredShift | undefined): NewShift['number'] {
  const number = sent?.trim() || null;
  if (number === null) return before ? null : undefined;
  if (!isMasked(number)) return number;
  // Somebody whose name was misspelt keeps their number.
  return before && before.name !== name && before.number !== null ? before.number : undefined;
}

/** Without the number: what is written down there cannot be taken back. */
function recorded({ name, start, end }: StoredShift): unknown {
  return { name, start: start.toISOString(), end: end.toISOString() };
}

async function requireShift(
  { pool }: Tools,
  where: { environment: string; team: string },
  id: string,
): Promise<StoredShift> {
  const shift = await findShift(pool, where, id);
  if (!shift) throw goneShift();
  return shift;
}

function goneShift(): NotFound {
  return new NotFound('This shift is no longer there.');
}
