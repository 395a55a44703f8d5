import type { Schedule } from '@portal/contract/deployments';
import { outcomeLabels } from '@portal/contract/deployments-fields';
import { isOutage } from '@portal/kit/postgres/pool';
import { Conflict, NotFound, Refused } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { Noted } from '../../access/enforcer.ts';
import { isReading } from '../../access/policy.ts';
import type { Finder } from '../../access/subjects.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { checkSchedule, type ScheduleRequest } from './check-schedule.ts';
import { formatInstant } from './deployment-times.ts';
import { listChanges } from './schedule-changes.ts';
import {
  createSchedule,
  findByRequestKey,
  findSchedule,
  markResolved,
  type Resolution,
  type ScheduleContent,
  updateSchedule,
} from './schedules.store.ts';
import type { TeamDirectory } from './team-directory.ts';

declare module '../../access/subjects.ts' {
  interface Subjects {
    /** Undefined for one that is not saved yet. */
    readonly schedule: Schedule | undefined;
  }
}

/** The path parameter of a schedule that is not saved yet. */
const noSchedule = 'null';

/** Finds a schedule of the caller's environment. */
export function scheduleFinder(dependencies: Pick<Dependencies, 'pool'>): Finder<Schedule | undefined> {
  return async (scheduleId, { caller, action, fields: { team, appIds } }) => {
    const { apps } = await caller.apps({ forReading: isReading(action) });
    const filter = (ids: readonly unknown[]) => apps.filter(({ id }) => ids.includes(id));
    if (scheduleId === noSchedule) {
      const chosen = filter(Array.isArray(appIds) ? appIds : []);
      // Without valid apps, the schedule is rejected with the reason.
      return {
        value: undefined,
        ...(typeof team === 'string' && { team }),
        apps: chosen.length > 0 ? chosen : apps,
      };
    }
    const schedule = await requireSchedule(dependencies, caller, scheduleId);
    const { id, releaseName: resourceName } = schedule;
    const resource = { kind: 'schedule', id } as const;
    return { value: schedule, resource, resourceName, team: schedule.team, apps: filter(schedule.appIds) };
  };
}

interface ChangeCall {
  readonly caller: Caller;
  readonly schedule: Schedule | undefined;
  readonly noted: Noted;
}

/**
 * Creates a schedule, or updates the given one. A repeated request key returns the schedule saved
 * the first time. Throws InvalidPayload, NotFound, or Conflict if it was saved or resolved by
 * another user in the meantime.
 */
export async function saveSchedule(
  dependencies: Dependencies,
  directory: TeamDirectory,
  { caller, schedule, request, noted }: ChangeCall & { readonly request: ScheduleRequest },
): Promise<Schedule> {
  const scheduleId = schedule?.id ?? null;
  if (schedule) noted.action = 'deployment.update';
  const findSaved = async () => {
    const saved = await findRepeated(dependencies, caller, scheduleId, request.requestKey);
    if (saved) noted.changesNothing = true;
    return saved;
  };
  const repeated = await findSaved();
  if (repeated) return repeated;

  let before: Schedule | null;
  try {
    before = scheduleId === null ? null : await requireOpen(dependencies, caller, scheduleId, request.expected);
  } catch (error) {
    // The same request was sent twice, and the other one was saved since it was looked for.
    const saved = error instanceof Conflict ? await findSaved() : undefined;
    if (saved) return saved;
    throw error;
  }
  const content = await checkSchedule(dependencies, directory, caller, request, {
    now: new Date(),
    before: before && new Date(before.deploymentDate),
  });
  if (before) await requireNewTeam(dependencies, caller, content);
  Object.assign(noted, {
    description: `Deployment ${content.releaseName} scheduled for ${formatInstant(content.deploymentDate, caller.environment.timeZone)}`,
    ...(before && { before: auditedFields(before) }),
    resourceName: content.releaseName,
    after: auditedFields(content),
  });
  try {
    const saved = await write(dependencies, caller, before, content, request.requestKey);
    noted.resource = { kind: 'schedule', id: saved.id };
    return saved;
  } catch (error) {
    // A duplicate request was sent concurrently and was saved first.
    const saved = isOutage(error) ? undefined : await findSaved();
    if (saved) return saved;
    throw error;
  }
}

/**
 * Resolves a schedule. Throws NotFound if it is not saved yet, or Conflict if it is already
 * resolved or was saved in the meantime.
 */
export async function resolveSchedule(
  dependencies: Dependencies,
  { caller, schedule, expected, noted, ...resolution }: ChangeCall & Resolution & { expected: number | undefined },
): Promise<Schedule> {
  const before = await requireOpen(dependencies, caller, requireSaved(caller, schedule).id, expected);
  const { outcome, outcomeNote } = resolution;
  const ending = outcome === null ? '' : `: ${outcomeLabels[outcome].toLowerCase()}`;
  Object.assign(noted, {
    description: `Deployment ${before.releaseName} resolved${ending}`,
    before: { scheduleStatus: before.scheduleStatus },
    after: { scheduleStatus: 'RESOLVED', ...resolution },
  });
  const changes = [
    { field: 'Status', before: 'Scheduled', after: 'Resolved' },
    ...(outcome === null ? [] : [{ field: 'Outcome', before: null, after: outcomeLabels[outcome] }]),
    ...(outcomeNote === '' ? [] : [{ field: 'Note', before: null, after: outcomeNote }]),
  ];
  const resolved = await markResolved(dependencies.pool, before, resolution, { by: caller.username, changes });
  if (!resolved) throw await readConflict(dependencies, caller, before.id);
  return resolved;
}

/** Returns the schedule. Throws NotFound if it is not saved yet. */
export function requireSaved({ environment }: Caller, schedule: Schedule | undefined): Schedule {
  if (!schedule) throw scheduleNotFound(environment, noSchedule);
  return schedule;
}

/**
 * Throws Refused if the caller may not change deployments of the team and apps that are chosen now.
 */
async function requireNewTeam(
  { permissions }: Pick<Dependencies, 'permissions'>,
  caller: Caller,
  { team, appIds }: ScheduleContent,
): Promise<void> {
  const { apps } = await caller.apps();
  const about = { team, apps: apps.filter(({ id }) => appIds.includes(id)) };
  const reason = await permissions.findRefusal(caller, 'deployments.change', about);
  if (reason !== null) throw new Refused(reason);
}

/** Throws NotFound if the environment has no such schedule. */
async function requireSchedule(
  { pool }: Pick<Dependencies, 'pool'>,
  { environment }: Caller,
  scheduleId: string,
): Promise<Schedule> {
  const found = await findSchedule(pool, environment.name, scheduleId);
  if (!found) throw scheduleNotFound(environment, scheduleId);
  return found;
}

function scheduleNotFound({ name }: { readonly name: string }, scheduleId: string): NotFound {
  return new NotFound(`There is no deployment schedule ${shortenValue(scheduleId)} in ${name}.`);
}

async function write(
  { pool, config }: Dependencies,
  caller: Caller,
  before: Schedule | null,
  content: ScheduleContent,
  requestKey: string | undefined,
): Promise<Schedule> {
  const format = { product: config.product, timeZone: caller.environment.timeZone };
  const save = { by: caller.username, changes: listChanges(before, content, format), requestKey };
  if (!before) return createSchedule(pool, content, save);
  const updated = await updateSchedule(pool, before, content, save);
  if (!updated) throw await readConflict({ pool }, caller, before.id);
  return updated;
}

async function requireOpen(
  dependencies: Dependencies,
  caller: Caller,
  scheduleId: string,
  expected: number | undefined,
): Promise<Schedule> {
  const found = await requireSchedule(dependencies, caller, scheduleId);
  if (found.scheduleStatus === 'RESOLVED' || (expected !== undefined && expected !== found.revision))
    throw toConflict(found, caller);
  return found;
}

async function readConflict(
  dependencies: Pick<Dependencies, 'pool'>,
  caller: Caller,
  scheduleId: string,
): Promise<Conflict> {
  return toConflict(await requireSchedule(dependencies, caller, scheduleId), caller);
}

function toConflict({ scheduleStatus, portalUser, updatedAt }: Schedule, { environment }: Caller): Conflict {
  const when = formatInstant(updatedAt, environment.timeZone);
  return scheduleStatus === 'RESOLVED'
    ? new Conflict(`This deployment was resolved by ${portalUser} on ${when}.`)
    : new Conflict(`${portalUser} saved this deployment on ${when}, after you opened it.`);
}

async function findRepeated(
  { pool }: Pick<Dependencies, 'pool'>,
  { environment }: Caller,
  scheduleId: string | null,
  requestKey: string | undefined,
): Promise<Schedule | undefined> {
  if (requestKey === undefined) return undefined;
  const saved = await findByRequestKey(pool, environment.name, requestKey);
  if (saved && scheduleId !== null && saved.id !== scheduleId)
    throw new Conflict('Another deployment was already saved with this request key.');
  return saved;
}

/** Returns the fields stored in the audit trail: the user's choices without derived values. */
function auditedFields(schedule: ScheduleContent): Partial<ScheduleContent> {
  const { environment: _, appIds, appSchemas, releaseDescription, ...fields } = schedule;
  return fields;
}
