/**
 * Journey → Helium: one record, as Journey has it now. For the loop alone that applies the op-log.
 */
import type { RecordKey } from '../../record/record-key.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { mapOf } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import { deletedEntry } from './deleted-entry.ts';
import { previousId } from './previous-id.ts';

/** Returns whether it is done; otherwise the record has to be read again. */
export async function refreshRecord(active: ActiveRun, key: RecordKey): Promise<boolean> {
  const map = mapOf(active.context, key.table);
  if (!map) return true;
  const [entry] = await active.run.withSlot(() =>
    active.context.journey.listAfter(map, previousId(key.id), 1, active.run.signal),
  );
  const found = entry?.key.id === key.id ? entry : undefined;
  return (await applyEntries(active, [found ?? deletedEntry(key)], { isListing: true })) !== 'read-again';
}
