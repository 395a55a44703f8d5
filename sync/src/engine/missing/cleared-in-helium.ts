import type { HeliumRow } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { getValue } from '../../record/fields.ts';
import { keyText } from '../../record/record-key.ts';
import { expectedFields } from '../../record/record-state.ts';
import type { ClearedValue } from '../../sync-state/clearings.store.ts';
import { findInFlight } from '../../sync-state/comparisons.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import { readWaitingFiles } from '../../sync-state/waiting-files.store.ts';
import type { SyncContext } from '../state/context.ts';

/**
 * Returns the values that rows no longer have and that sending them would clear in Journey,
 * although the change log names no edit of the rows after this entry.
 */
export async function findLost(
  { helium, stateId }: SyncContext,
  map: ObjectMap,
  rows: readonly HeliumRow[],
  afterLogEntry: string,
): Promise<ClearedValue[]> {
  const { table } = map;
  const columns = map.fields.map(({ column }) => column);
  const suspects = rows.filter(({ fields }) => columns.some((column) => fields[column] === null));
  if (suspects.length === 0) return [];
  const keys = suspects.map(({ id }) => ({ table, id }));
  const records = await readRecords(helium.pool, stateId, keys);
  const files = await readWaitingFiles(helium.pool, stateId, keys);
  const lost = suspects.flatMap(({ id, fields }) => {
    const key = { table, id };
    const expected = expectedFields(records.get(key));
    return columns
      .filter(
        (column) => fields[column] === null && getValue(expected, column) !== null && !files.get(key)?.has(column),
      )
      .map((column) => ({ id, column }));
  });
  if (lost.length === 0) return [];
  const lostKeys = [...new Set(lost.map(({ id }) => id))].map((id) => ({ table, id }));
  const inFlight = await findInFlight(helium.pool, stateId, lostKeys);
  const edited = await helium.findChanged(helium.pool, lostKeys, afterLogEntry);
  return lost.filter(({ id }) => !inFlight.has(keyText({ table, id })) && !edited.has({ table, id }));
}
