import type { RequestOf } from '@portal/contract/endpoint';
import { findShiftError, type PortalShift, type savePortalShift } from '@portal/contract/support-roster';
import { InvalidPayload } from '@portal/edge/problems';
import { Conflict, NotFound } from '@portal/kit/problems';
import { toOutcome } from '../../../audit/audit-trail.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Caller } from '../../../session/caller.ts';
import { isMasked, maskNumber } from '../phone-numbers.ts';
import type { SupportTeam } from '../support-team.ts';
import type { SupportTeams } from '../support-teams.ts';
import { findShift, type NewShift, removeShift, type StoredShift, saveShift } from './portal-shifts.store.ts';
import { readInstant } from './shift-times.ts';

type RosterDependencies = Pick<Dependencies, 'permissions' | 'audit' | 'pool'>;

/** Throws NotFound, or Conflict if the team's roster comes from an external source. */
export function requirePortalTeam(teams: SupportTeams, caller: Caller, name: string): SupportTeam {
  const team = teams.require(caller.environment.name, name);
  if (team.kind !== 'portal')
    throw new Conflict(`The roster of ${name} comes from ${sources[team.kind]}. Change it there.`);
  return team;
}

const sources = { calendar: 'a calendar', PagerDuty: 'PagerDuty' } as const;

/** Converts a shift for display, with the number masked. */
export function toPortalShift({ id, name, number, start, end }: StoredShift): PortalShift {
  return {
    id,
    name,
    number: number === null ? null : maskNumber(number),
    start: start.toISOString(),
    end: end.toISOString(),
  };
}

/** Adds or updates a shift; shifts may overlap. Throws InvalidPayload, Conflict, NotFound. */
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

/** Throws NotFound if the shift no longer exists. */
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
 * Throws Refused without permission, NotFound, or Conflict if the team's roster comes from an
 * external source.
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

/** Changes a portal-managed roster and audits the result, including failures. */
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
  // A corrected name keeps its number.
  return before && before.name !== name && before.number !== null ? before.number : undefined;
}

/** Omits the phone number, because audit entries cannot be deleted. */
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
  return new NotFound('This shift no longer exists.');
}
