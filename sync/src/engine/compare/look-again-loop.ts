/** Reads records again on both sides when an operator requests it. */
import { setTimeout as pause } from 'node:timers/promises';
import { isContention } from '../../helium/database-failures.ts';
import { findDifferences } from '../../sync-state/differences.store.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { clearLookAgain, readLookAgain } from '../../sync-state/look-again.store.ts';
import { forgetRecords } from '../../sync-state/recovery.store.ts';
import { listUnlogged } from '../missing/list-unlogged.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { findObjectMap, pageSize, withLockedState } from '../state/context.ts';

/** Requests wake the loop, also when their notification was lost, so this is only a precaution. */
const restMs = 3_600_000;
const retryMs = 5_000;

export async function runLookAgainLoop(active: ActiveRun): Promise<void> {
  const { run } = active;
  while (!run.signal.aborted) {
    try {
      if (!(await lookAgain(active))) await active.lookAgain.sleep(restMs, run.signal);
    } catch (error) {
      if (run.signal.aborted) return;
      if (!isContention(error)) throw error;
      await pause(retryMs, undefined, { signal: run.signal }).catch(() => undefined);
    }
  }
}

/**
 * Journey first, as in a comparison: what it has is applied before Helium's rows are compared with
 * it. A record that Journey no longer has is left to the next comparison, which counts all of them
 * before it deletes. Returns whether there was a request.
 */
async function lookAgain(active: ActiveRun): Promise<boolean> {
  const { context, run } = active;
  const keys = await readLookAgain(context.helium.pool, context.stateId, pageSize);
  if (keys.length === 0) return false;
  // Otherwise a change on a side that is not read would stay: the other side has nothing new.
  await withLockedState(context, async (db) =>
    forgetRecords(db, context.stateId, await findDifferences(db, context.stateId, keys)),
  );
  active.tally.requestRecount();
  const fromJourney = keys.filter(({ table }) => active.isFromJourney && findObjectMap(context, table)?.toHelium);
  const refreshed = active.refreshQueue.add(fromJourney, run.signal);
  active.toHelium.wake();
  await refreshed;
  const fromHelium = keys.filter(({ table }) => active.isFromHelium && findObjectMap(context, table)?.toJourney);
  await withLockedState(context, async (db, { changeLogCursor }) => {
    await listUnlogged(context, db, fromHelium, changeLogCursor);
    await markDirty(db, context.stateId, fromHelium);
    await clearLookAgain(db, context.stateId, keys);
  });
  active.toJourney.wake();
  return true;
}
