import type { Schedule } from '@portal/contract/deployments';
import type { RequestOf } from '@portal/contract/endpoint';
import type { markReleaseStep, ReleaseStep } from '@portal/contract/release-page';
import type { Pool } from '@portal/kit/postgres/pool';
import { Conflict, NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { Noted } from '../../access/enforcer.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { addDoneStep, listDoneSteps, removeDoneStep } from './release-steps.store.ts';

/** Lists the configured steps in order, then done ones that are no longer configured. */
export async function listSteps(pool: Pool, configured: readonly string[], scheduleId: string): Promise<ReleaseStep[]> {
  const done = await listDoneSteps(pool, scheduleId);
  const marks = new Map(done.map(({ step, ...mark }) => [step, mark]));
  const steps = new Set([...configured, ...marks.keys()]);
  return [...steps].map((step) => ({ step, done: marks.get(step) ?? null }));
}

interface MarkCall {
  readonly caller: Caller;
  readonly schedule: Schedule;
  readonly noted: Noted;
}

/**
 * Marks a step as done, or removes the mark, and returns all steps. The first mark of a step stays.
 * Throws NotFound for an unknown step, and Conflict if the deployment is resolved.
 */
export async function markStep(
  { pool, config }: Pick<Dependencies, 'pool' | 'config'>,
  { caller, schedule, noted }: MarkCall,
  { step, isDone }: RequestOf<typeof markReleaseStep>,
): Promise<ReleaseStep[]> {
  if (schedule.scheduleStatus === 'RESOLVED') throw new Conflict('This deployment is already resolved.');
  const { steps: configured } = config.deployments;
  const before = await listSteps(pool, configured, schedule.id);
  if (!before.some((each) => each.step === step)) throw new NotFound(`The release has no step ${shortenValue(step)}.`);
  const hasChanged = isDone
    ? await addDoneStep(pool, schedule.id, step, caller.username)
    : await removeDoneStep(pool, schedule.id, step);
  if (!hasChanged) noted.changesNothing = true;
  Object.assign(noted, {
    description: `Step “${step}” of ${schedule.releaseName} marked as ${isDone ? 'done' : 'not done'}`,
    before: { isDone: !isDone },
    after: { isDone },
  });
  return listSteps(pool, configured, schedule.id);
}
