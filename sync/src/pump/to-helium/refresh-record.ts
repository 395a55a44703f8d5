/**
 * Journey → Helium: applies one record's current state in Journey. Only the op-log loop may call
 * it.
 */
import type { RecordKey } from '../../record/record-key.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findObjectMap } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import { previousId } from './previous-id.ts';
import { toDeletedEntry } from './to-deleted-entry.ts';

/** Returns whether the refresh is complete; otherwise the record must be read again. */
export async function refreshRecord(active: ActiveRun, key: RecordKey): Promise<boolean> {
  const map = findObjectMap(active.context, key.table);
  if (!map) return true;
  const [entry] = await active.run.withSlot(() =>
    active.context.journey.listAfter(map, previousId(key.id), 1, active.run.signal),
  );
  const found = entry?.key.id === key.id ? entry : undefined;
  return (await applyEntries(active, [found ?? toDeletedEntry(key)], { isListing: true })) !== 'read-again';
}
