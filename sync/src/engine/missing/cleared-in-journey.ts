import type { Db } from '../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import { getValue } from '../../record/fields.ts';
import { isSameContent } from '../../record/file-value.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import { findObjectMap, type SyncContext } from '../state/context.ts';
import { readRowsByKey } from '../state/rows-by-key.ts';
import type { RecordConflict } from '../state/save-conflicts.ts';

/**
 * Returns the values that listed objects no longer have and that applying them would clear in
 * Helium: no entry of the op-log shows that a device has cleared them.
 */
export async function findCleared(
  context: SyncContext,
  db: Db,
  entries: readonly JourneyEntry[],
): Promise<RecordConflict[]> {
  const records = await readRecords(
    db,
    context.stateId,
    entries.map(({ key }) => key),
  );
  const suspects = entries.flatMap(({ key, fields }) => {
    const { journey, intents } = records.get(key);
    const map = findObjectMap(context, key.table);
    if (!journey || !fields || intents.length > 0 || !map) return [];
    const columns = map.fields
      .filter(({ column }) => getValue(journey, column) !== null && fields[column] === null)
      .map(({ column, kind }) => ({ column, known: getValue(journey, column), isFile: kind === 'blob' }));
    return columns.length > 0 ? [{ key, columns }] : [];
  });
  if (suspects.length === 0) return [];
  const rows = await readRowsByKey(
    context,
    db,
    suspects.map(({ key }) => key),
  );
  return suspects.flatMap(({ key, columns }) =>
    columns.flatMap(({ column, known, isFile }): RecordConflict[] => {
      const value = getValue(rows.get(key)?.fields, column);
      // What Helium has edited is a conflict in any case.
      if (isFile ? !isSameContent(value, known) : value !== known) return [];
      return [{ key, conflict: { column, helium: known, journey: null, winner: 'journey' } }];
    }),
  );
}
