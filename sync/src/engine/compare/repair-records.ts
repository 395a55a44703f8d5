import type { RecordKey } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { listUnlogged } from '../missing/list-unlogged.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { withLockedState } from '../state/context.ts';

/**
 * Has records synced again as they are on both sides.
 *
 * @param refreshed those of which Journey's object has changed: it is applied first
 */
export async function repairRecords(
  active: ActiveRun,
  { keys, refreshed }: { readonly keys: readonly RecordKey[]; readonly refreshed: readonly RecordKey[] },
): Promise<void> {
  const { context, run } = active;
  // The op-log loop refreshes them: done here, it would overwrite an edit that is applied
  // concurrently.
  const applied = active.refreshQueue.add(refreshed, run.signal);
  active.toHelium.wake();
  await applied;
  await withLockedState(context, async (db, { changeLogCursor }) => {
    await listUnlogged(context, db, keys, changeLogCursor);
    await markDirty(db, context.stateId, keys);
  });
  active.toJourney.wake();
}
