/**
 * Journey → Helium: applies one record's current state in Journey. Only the op-log loop may call
 * it.
 */
import type { ObjectMap } from '../../mapping/object-map.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { previousId } from '../shared/previous-id.ts';
import { collectAbsences } from '../shared/settle-absences.ts';
import { findObjectMap, type SyncContext } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import { toDeletedEntry } from './to-deleted-entry.ts';

/** A known record that Journey does not list is only collected as absent. */
export async function refreshRecord(active: ActiveRun, key: RecordKey): Promise<'complete' | 'absent'> {
  const { context } = active;
  const map = findObjectMap(context, key.table);
  if (!map) return 'complete';
  const [entry] = await active.run.withSlot(() =>
    active.context.journey.listAfter(map, previousId(key.id), 1, active.run.signal),
  );
  const found = entry?.key.id === key.id ? entry : undefined;
  if (!found && (await isKnownInBoth(context, map, key))) {
    await collectAbsences(context, { side: 'journey', table: key.table }, { ids: [key.id], isFirstPage: false });
    return 'absent';
  }
  await applyEntries(active, [found ?? toDeletedEntry(key)], { isListing: true });
  return 'complete';
}

async function isKnownInBoth({ helium, stateId }: SyncContext, map: ObjectMap, key: RecordKey): Promise<boolean> {
  const records = await readRecords(helium.pool, stateId, [key]);
  return records.get(key).journey !== null && (await helium.readRows(helium.pool, map, [key.id])).length > 0;
}
