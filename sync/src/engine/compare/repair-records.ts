import type { RecordKey } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { listUnlogged } from '../missing/list-unlogged.ts';
import type { RunWith } from '../run/parts.ts';
import { withLockedState } from '../state/context.ts';

/**
 * Has records synced again as they are on both sides.
 *
 * @param refreshed those of which Journey's object has changed: it is applied first
 */
export async function repairRecords(
  run: RunWith<'loops' | 'refreshQueue'>,
  { keys, refreshed }: { readonly keys: readonly RecordKey[]; readonly refreshed: readonly RecordKey[] },
): Promise<void> {
  const { context } = run;
  // The op-log loop refreshes them: done here, it would overwrite an edit that is applied
  // concurrently.
  const applied = run.refreshQueue.add(refreshed, run.signal);
  run.loops.wake('op-log awaited');
  await applied;
  await withLockedState(context, async (db, { changeLogCursor }) => {
    await listUnlogged(context, db, keys, changeLogCursor);
    await markDirty(db, context.stateId, keys);
  });
  run.loops.wake('records to send');
}
