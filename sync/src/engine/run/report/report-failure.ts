import { describeTableLock } from '../../../helium/describe-table-lock.ts';
import { isLockTimeout } from '../../../helium/limit-waits.ts';
import type { SyncContext } from '../../state/context.ts';
import type { ActiveRun } from '../active-run.ts';

/** Shows operators why a direction waits, and for how long. */
export async function reportFailure(
  { context, run, retries }: ActiveRun,
  direction: 'toJourney' | 'toHelium',
  problem: unknown,
  waitMs: number,
): Promise<void> {
  const message = await explainFailure(context, problem);
  const name = direction === 'toJourney' ? 'Helium → Journey' : 'Journey → Helium';
  if (retries[direction].isLogged) run.log('WARNING', `${name}: ${message} Retrying in ${Math.ceil(waitMs / 1000)} s.`);
  const status = `Waiting: ${message}`;
  run.publish(direction === 'toJourney' ? { heliumSyncStatus: status } : { journeySyncStatus: status });
}

async function explainFailure({ helium: { reading, schema } }: SyncContext, problem: unknown): Promise<string> {
  const lock = isLockTimeout(problem) ? await describeTableLock(reading, schema).catch(() => null) : null;
  return lock ?? (problem instanceof Error ? problem.message : String(problem));
}
