/** Reads records again on both sides when an operator requests it. */
import { setTimeout as pause } from 'node:timers/promises';
import { isContention } from '../../helium/database-failures.ts';
import { findDifferences } from '../../sync-state/differences.store.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { clearLookAgain, readLookAgain } from '../../sync-state/look-again.store.ts';
import { forgetRecords } from '../../sync-state/recovery.store.ts';
import { listUnlogged } from '../missing/list-unlogged.ts';
import type { RunWith } from '../run/parts.ts';
import { findObjectMap, pageSize, withLockedState } from '../state/context.ts';

/** Requests wake the loop, also when their notification was lost, so this is only a precaution. */
const restMs = 3_600_000;
const retryMs = 5_000;

export async function runLookAgainLoop(run: RunWith<'loops' | 'refreshQueue' | 'tally'>): Promise<void> {
  while (!run.signal.aborted) {
    try {
      if (!(await lookAgain(run))) await run.loops.sleep('look-again', restMs, run.signal);
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
async function lookAgain(run: RunWith<'loops' | 'refreshQueue' | 'tally'>): Promise<boolean> {
  const { context } = run;
  const keys = await readLookAgain(context.helium.pool, context.stateId, pageSize);
  if (keys.length === 0) return false;
  // Otherwise a change on a side that is not read would stay: the other side has nothing new.
  await withLockedState(context, async (db) =>
    forgetRecords(db, context.stateId, await findDifferences(db, context.stateId, keys)),
  );
  run.tally.requestRecount();
  const fromJourney = keys.filter(({ table }) => run.context.isFromJourney && findObjectMap(context, table)?.toHelium);
  const refreshed = run.refreshQueue.add(fromJourney, run.signal);
  run.loops.wake('op-log awaited');
  await refreshed;
  const fromHelium = keys.filter(({ table }) => run.context.isFromHelium && findObjectMap(context, table)?.toJourney);
  await withLockedState(context, async (db, { changeLogCursor }) => {
    await listUnlogged(context, db, fromHelium, changeLogCursor);
    await markDirty(db, context.stateId, fromHelium);
    await clearLookAgain(db, context.stateId, keys);
  });
  run.loops.wake('records to send');
  return true;
}
