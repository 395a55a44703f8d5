import type { RequestOf } from '@portal/contract/endpoint';
import { findShiftError, type PortalShift, type savePortalShift } from '@portal/contract/support-roster';
import { Conflict, NotFound } from '@portal/kit/problems';
import { toOutcome } from '../../../audit/audit-trail.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { InvalidPayload } from '../../../http/problems.ts';
import type { Caller } from '../../../session/caller.ts';
import { isMasked, maskNumber } from '../phone-numbers.ts';
import type { SupportTeam } from '../support-team.ts';
import type { SupportTeams } from '../support-teams.ts';
import { findShift, type NewShift, removeShift, type StoredShift, saveShift } from './portal-shifts.store.ts';
import { readInstant } from './shift-times.ts';

type RosterDependencies = Pick<Dependencies, 'permissions' | 'audit' | 'pool'>;

/** Throws NotFound, and Conflict for a team whose roster comes from elsewhere. */
export function requirePortalTeam(teams: SupportTeams, caller: Caller, name: string): SupportTeam {
  const team = teams.require(caller.environment.name, name);
  if (team.kind !== 'portal')
    throw new Conflict(`The roster of ${name} comes from ${sources[team.kind]}: it is changed there.`);
  return team;
}

const sources = { calendar: 'a calendar', PagerDuty: 'PagerDuty' } as const;

/** As people see it: the number masked. */
export function toPortalShift({ id, name, number, start, end }: StoredShift): PortalShift {
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
export async function saveRosterShift(
  dependencies: RosterDependencies,
  teams: SupportTeams,
  caller: Caller,
  { team, id, ...draft }: RequestOf<typeof savePortalShift>,
): Promise<PortalShift> {
  return runAuditedChange(
    dependencies,
    teams,
    caller,
    team,
    id === null ? 'Shift added' : 'Shift changed',
    async (where) => {
      const before = id === null ? undefined : await requireShift(dependencies, where, id);
      const after = toNewShift(draft, before);
      const saved = await saveShift(dependencies.pool, where, id, after);
      const shift = saved === undefined ? undefined : await findShift(dependencies.pool, where, saved);
      if (!shift) throw shiftNotFound();
      return { result: toPortalShift(shift), before: before && toAuditedShift(before), after: toAuditedShift(shift) };
    },
  );
}

/** Throws NotFound for one that is gone already. */
export async function removeRosterShift(
  dependencies: RosterDependencies,
  teams: SupportTeams,
  caller: Caller,
  { team, id }: { readonly team: string; readonly id: string },
): Promise<void> {
  await runAuditedChange(dependencies, teams, caller, team, 'Shift removed', async (where) => {
    const before = await requireShift(dependencies, where, id);
    if (!(await removeShift(dependencies.pool, where, id))) throw shiftNotFound();
    return { result: undefined, before: toAuditedShift(before) };
  });
}

/**
 * Throws Refused for those who may not change the roster, NotFound, and Conflict for a team from
 * elsewhere.
 */
export async function requireChangePermission(
  { permissions }: Pick<RosterDependencies, 'permissions'>,
  teams: SupportTeams,
  caller: Caller,
  team: string,
): Promise<void> {
  await permissions.require(caller, 'roster.change', team);
  requirePortalTeam(teams, caller, team);
}

/**
 * Does what maintainers may do to a team's own roster, and writes it down, also where it did not
 * work.
 */
export async function runAuditedChange<Result>(
  dependencies: Pick<RosterDependencies, 'permissions' | 'audit'>,
  teams: SupportTeams,
  caller: Caller,
  team: string,
  description: string,
  change: (where: {
    environment: string;
    team: string;
  }) => Promise<{ result: Result; before?: unknown; after?: unknown }>,
): Promise<Result> {
  await requireChangePermission(dependencies, teams, caller, team);
  const auditEntry = { action: 'roster.change', resource: team, description } as const;
  try {
    const { result, before, after } = await change({ environment: caller.environment.name, team });
    await dependencies.audit.write(caller, { ...auditEntry, before, after, outcome: 'done' });
    return result;
  } catch (error) {
    await dependencies.audit.write(caller, { ...auditEntry, ...toOutcome(error) });
    throw error;
  }
}

function toNewShift(
  { name, number, start, end }: Omit<RequestOf<typeof savePortalShift>, 'team' | 'id'>,
  before: StoredShift | undefined,
): NewShift {
  const [from, to] = [readInstant(start), readInstant(end)];
  const error = findShiftError({ name, start: from?.toISOString() ?? null, end: to?.toISOString() ?? null });
  if (error || !from || !to) {
    const { field, text } = error ?? { field: 'start', text: 'Please enter when the shift begins' };
    throw new InvalidPayload({ [field]: text }, `${text}.`);
  }
  return { name: name.trim(), number: resolveNumber(number, name.trim(), before), start: from, end: to };
}

function resolveNumber(sent: string | null, name: string, before: StoredShift | undefined): NewShift['number'] {
  const number = sent?.trim() || null;
  if (number === null) return before ? null : undefined;
  if (!isMasked(number)) return number;
  // Somebody whose name was misspelt keeps their number.
  return before && before.name !== name && before.number !== null ? before.number : undefined;
}

/** Without the number: what is written down there cannot be taken back. */
function toAuditedShift({ name, start, end }: StoredShift): unknown {
  return { name, start: start.toISOString(), end: end.toISOString() };
}

async function requireShift(
  { pool }: RosterDependencies,
  where: { environment: string; team: string },
  id: string,
): Promise<StoredShift> {
  const shift = await findShift(pool, where, id);
  if (!shift) throw shiftNotFound();
  return shift;
}

function shiftNotFound(): NotFound {
  return new NotFound('This shift is no longer there.');
}
