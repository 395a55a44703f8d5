/**
 * Journey → Helium: applies one record's current state in Journey. Only the op-log loop may call
 * it.
 */
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../../mapping/object-map.ts';
import { getValue } from '../../../record/fields.ts';
import { adoptFiles } from '../../../record/file-value.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import { findInFlight } from '../../../sync-state/comparisons.store.ts';
import { readRecords } from '../../../sync-state/records.store.ts';
import { collectAbsences } from '../../missing/absences.ts';
import { previousId } from '../../missing/previous-id.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { findObjectMap, type SyncContext, withLockedState } from '../../state/context.ts';
import { readRowsByKey } from '../../state/rows-by-key.ts';
import type { RecordConflict } from '../../state/save-conflicts.ts';
import { applyEntries } from '../writer/apply-entries.ts';
import { listReplaced } from './list-replaced.ts';
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
  if (found && !(await listUnexplained(active, found))) return 'complete';
  await applyEntries(active, [found ?? toDeletedEntry(key)], { isListing: true });
  return 'complete';
}

/**
 * Lists the values of Helium that an older object replaces: its entry would have been read, so a
 * restore, or a repair behind the op-log, has changed it. Journey's times have whole seconds.
 * Returns whether the object may be applied.
 */
async function listUnexplained({ context, progress }: ActiveRun, found: JourneyEntry): Promise<boolean> {
  const { key, fields, changedAtMs } = found;
  const isOlder = changedAtMs !== null && changedAtMs < (progress.opLogPoint?.updatedAtMs ?? 0);
  if (!isOlder || fields === null) return true;
  const { stateId } = context;
  return withLockedState(context, async (db) => {
    const { journey, intents } = (await readRecords(db, stateId, [key])).get(key);
    const row = (await readRowsByKey(context, db, [key])).get(key)?.fields;
    const isSettled = intents.length === 0 && (await findInFlight(db, stateId, [key])).size === 0;
    if (!journey || !row || !isSettled) return true;
    const columns = findObjectMap(context, key.table)?.fields ?? [];
    const helium = adoptFiles(columns, row, [journey]);
    const replaced = Object.entries(adoptFiles(columns, fields, [helium])).flatMap(
      ([column, after]): RecordConflict[] => {
        const before = getValue(helium, column);
        if (before === null || before !== getValue(journey, column) || before === after) return [];
        return [{ key, conflict: { column, helium: before, journey: after, winner: 'journey' } }];
      },
    );
    return !(await listReplaced(context, db, replaced)).has(key);
  });
}

async function isKnownInBoth({ helium, stateId }: SyncContext, map: ObjectMap, key: RecordKey): Promise<boolean> {
  const records = await readRecords(helium.pool, stateId, [key]);
  return records.get(key).journey !== null && (await helium.readRows(helium.pool, map, [key.id])).length > 0;
}
