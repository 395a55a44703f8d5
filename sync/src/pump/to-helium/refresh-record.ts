/**
 * Journey → Helium: one record, as Journey has it now. For the loop alone that applies the op-log.
 */
import type { RecordKey } from '../../record/record-key.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { mapOf } from '../shared/sync-context.ts';
import { carryEntries } from './apply-entries.ts';
import { deletedEntry } from './deleted-entry.ts';
import { previousId } from './previous-id.ts';

export async function refreshRecord(active: ActiveRun, key: RecordKey): Promise<void> {
  const map = mapOf(active.context, key.table);
  if (!map) return;
  const [entry] = await active.run.slot(() =>
    active.context.journey.listAfter(map, previousId(key.id), 1, active.run.signal),
  );
  const found = entry?.key.id === key.id ? entry : undefined;
  await carryEntries(active, [found ?? deletedEntry(key)], { isListing: true });
}
