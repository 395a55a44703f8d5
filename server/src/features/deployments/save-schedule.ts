import type { Schedule } from '@portal/contract/deployments';
import { isOutage } from '@portal/kit/postgres/pool';
import { Conflict, NotFound } from '@portal/kit/problems';
import { outcomeOf } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { checkSchedule, type WantedSchedule } from './check-schedule.ts';
import { requireDeployments, sayInstant } from './deployment-place.ts';
import { changesOf } from './schedule-changes.ts';
import {
  createSchedule,
  endSchedule,
  findByRequestKey,
  findSchedule,
  type ScheduleContent,
  updateSchedule,
} from './schedules.store.ts';
import type { TeamDirectory } from './team-directory.ts';

/**
 * Creates a schedule where `scheduleId` is null, else changes that one; what was saved under the
 * same request key before is answered as it is. Throws InvalidPayload, NotFound, or Conflict when
 * somebody saved it since, or resolved it.
 */
export async function saveSchedule(
  dependencies: Dependencies,
  directory: TeamDirectory,
  caller: Caller,
  scheduleId: string | null,
  wanted: WantedSchedule,
): Promise<Schedule> {
  await requireDeployments(dependencies, caller, 'deployments.change', scheduleId ?? undefined);
  const repeated = await findRepeated(dependencies, caller, scheduleId, wanted.requestKey);
  if (repeated) return repeated;

  const before = scheduleId === null ? null : await requireOpen(dependencies, caller, scheduleId, wanted.expected);
  const content = await checkSchedule(dependencies, directory, caller, wanted, {
    now: new Date(),
    before: before && new Date(before.deploymentDate),
  });
  const deed = {
    action: before ? 'deployment.update' : 'deployment.create',
    description: `Deployment ${content.releaseName} scheduled for ${sayInstant(content.deploymentDate, caller.environment.timeZone)}`,
    ...(before && { resource: before.id, before: partsOf(before) }),
    resourceName: content.releaseName,
    after: partsOf(content),
  };
  try {
    const saved = await write(dependencies, caller, before, content, wanted.requestKey);
    await dependencies.audit.write(caller, { ...deed, resource: saved.id, outcome: 'done' });
    return saved;
  } catch (error) {
    // Sent twice at the same time: the other one was first.
    const saved = isOutage(error) ? undefined : await findRepeated(dependencies, caller, scheduleId, wanted.requestKey);
    if (saved) return saved;
    await dependencies.audit.write(caller, { ...deed, ...outcomeOf(error) });
    throw error;
  }
}

/** Throws NotFound, or Conflict when it is resolved or somebody saved it since. */
export async function resolveSchedule(
  dependencies: Dependencies,
  caller: Caller,
  scheduleId: string,
  expected: number | undefined,
): Promise<Schedule> {
  await requireDeployments(dependencies, caller, 'deployments.change', scheduleId);
  const before = await requireOpen(dependencies, caller, scheduleId, expected);
  const deed = {
    action: 'deployment.resolve',
    description: `Deployment ${before.releaseName} resolved`,
    resource: before.id,
    resourceName: before.releaseName,
    before: { scheduleStatus: before.scheduleStatus },
    after: { scheduleStatus: 'RESOLVED' },
  } as const;
  const changes = [{ field: 'Status', before: 'Scheduled', after: 'Resolved' }];
  try {
    const ended = await endSchedule(dependencies.pool, before, { by: caller.username, changes });
    if (!ended) throw await savedSince(dependencies, caller, scheduleId);
    await dependencies.audit.write(caller, { ...deed, outcome: 'done' });
    return ended;
  } catch (error) {
    await dependencies.audit.write(caller, { ...deed, ...outcomeOf(error) });
    throw error;
  }
}

/** Throws NotFound for a schedule that is none of the environment's. */
export async function requireSchedule(
  { pool }: Pick<Dependencies, 'pool'>,
  { environment }: Caller,
  scheduleId: string,
): Promise<Schedule> {
  const found = await findSchedule(pool, environment.name, scheduleId);
  if (!found) throw new NotFound(`There is no deployment schedule ${scheduleId} in ${environment.name}.`);
  return found;
}

async function write(
  { pool, config }: Dependencies,
  caller: Caller,
  before: Schedule | null,
  content: ScheduleContent,
  requestKey: string | undefined,
): Promise<Schedule> {
  const words = { product: config.product, timeZone: caller.environment.timeZone };
  const save = { by: caller.username, changes: changesOf(before, content, words), requestKey };
  if (!before) return createSchedule(pool, content, save);
  const updated = await updateSchedule(pool, before, content, save);
  if (!updated) throw await savedSince({ pool }, caller, before.id);
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
    throw conflictOver(found, caller);
  return found;
}

async function savedSince(
  dependencies: Pick<Dependencies, 'pool'>,
  caller: Caller,
  scheduleId: string,
): Promise<Conflict> {
  return conflictOver(await requireSchedule(dependencies, caller, scheduleId), caller);
}

function conflictOver({ scheduleStatus, portalUser, updatedAt }: Schedule, { environment }: Caller): Conflict {
  const when = sayInstant(updatedAt, environment.timeZone);
  return scheduleStatus === 'RESOLVED'
    ? new Conflict(`This deployment was resolved by ${portalUser} on ${when}.`)
    : new Conflict(`${portalUser} saved this deployment on ${when}, after you had opened it.`);
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
    throw new Conflict('Another deployment was saved under this request key.');
  return saved;
}

/**
 * Returns what the audit trail stores of a schedule: what people chose, not what follows from it.
 */
function partsOf(schedule: ScheduleContent): Partial<ScheduleContent> {
  const { environment: _, appIds, appSchemas, releaseDescription, ...parts } = schedule;
  return parts;
}
