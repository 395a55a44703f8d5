import type { Schedule } from '@portal/contract/deployments';
import { isOutage } from '@portal/kit/postgres/pool';
import { Conflict, NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import { toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { checkSchedule, type ScheduleRequest } from './check-schedule.ts';
import { formatInstant, requireDeployments } from './deployment-access.ts';
import { listChanges } from './schedule-changes.ts';
import {
  createSchedule,
  findByRequestKey,
  findSchedule,
  markResolved,
  type ScheduleContent,
  updateSchedule,
} from './schedules.store.ts';
import type { TeamDirectory } from './team-directory.ts';

/**
 * Creates a schedule if `scheduleId` is null, otherwise updates it. A repeated request key returns
 * the schedule saved the first time. Throws InvalidPayload, NotFound, or Conflict if it was saved
 * or resolved by another user in the meantime.
 */
export async function saveSchedule(
  dependencies: Dependencies,
  directory: TeamDirectory,
  caller: Caller,
  scheduleId: string | null,
  request: ScheduleRequest,
): Promise<Schedule> {
  await requireDeployments(dependencies, caller, 'deployments.change', scheduleId ?? undefined);
  const repeated = await findRepeated(dependencies, caller, scheduleId, request.requestKey);
  if (repeated) return repeated;

  let before: Schedule | null;
  try {
    before = scheduleId === null ? null : await requireOpen(dependencies, caller, scheduleId, request.expected);
  } catch (error) {
    // The same request was sent twice, and the other one was saved since it was looked for.
    const isOtherSave = error instanceof Conflict;
    const saved = isOtherSave && (await findRepeated(dependencies, caller, scheduleId, request.requestKey));
    if (saved) return saved;
    throw error;
  }
  const content = await checkSchedule(dependencies, directory, caller, request, {
    now: new Date(),
    before: before && new Date(before.deploymentDate),
  });
  const auditEntry = {
    action: before ? 'deployment.update' : 'deployment.create',
    description: `Deployment ${content.releaseName} scheduled for ${formatInstant(content.deploymentDate, caller.environment.timeZone)}`,
    ...(before && { resource: before.id, before: auditedFields(before) }),
    resourceName: content.releaseName,
    after: auditedFields(content),
  };
  try {
    const saved = await write(dependencies, caller, before, content, request.requestKey);
    await dependencies.audit.write(caller, { ...auditEntry, resource: saved.id, outcome: 'done' });
    return saved;
  } catch (error) {
    // A duplicate request was sent concurrently and was saved first.
    const saved = isOutage(error)
      ? undefined
      : await findRepeated(dependencies, caller, scheduleId, request.requestKey);
    if (saved) return saved;
    await dependencies.audit.write(caller, { ...auditEntry, ...toOutcome(error) });
    throw error;
  }
}

/**
 * Resolves a schedule. Throws NotFound, or Conflict if it is already resolved or was saved in the
 * meantime.
 */
export async function resolveSchedule(
  dependencies: Dependencies,
  caller: Caller,
  scheduleId: string,
  expected: number | undefined,
): Promise<Schedule> {
  await requireDeployments(dependencies, caller, 'deployments.change', scheduleId);
  const before = await requireOpen(dependencies, caller, scheduleId, expected);
  const auditEntry = {
    action: 'deployment.resolve',
    description: `Deployment ${before.releaseName} resolved`,
    resource: before.id,
    resourceName: before.releaseName,
    before: { scheduleStatus: before.scheduleStatus },
    after: { scheduleStatus: 'RESOLVED' },
  } as const;
  const changes = [{ field: 'Status', before: 'Scheduled', after: 'Resolved' }];
  try {
    const resolved = await markResolved(dependencies.pool, before, { by: caller.username, changes });
    if (!resolved) throw await readConflict(dependencies, caller, scheduleId);
    await dependencies.audit.write(caller, { ...auditEntry, outcome: 'done' });
    return resolved;
  } catch (error) {
    await dependencies.audit.write(caller, { ...auditEntry, ...toOutcome(error) });
    throw error;
  }
}

/** Throws NotFound if the environment has no such schedule. */
export async function requireSchedule(
  { pool }: Pick<Dependencies, 'pool'>,
  { environment }: Caller,
  scheduleId: string,
): Promise<Schedule> {
  const found = await findSchedule(pool, environment.name, scheduleId);
  if (!found) throw new NotFound(`There is no deployment schedule ${shortenValue(scheduleId)} in ${environment.name}.`);
  return found;
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
