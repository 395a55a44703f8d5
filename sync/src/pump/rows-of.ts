import { KeyMap, type RecordKey } from '../engine/record-key.ts';
import type { Db, HeliumRow } from '../helium/helium-end.ts';
import type { Pump } from './pump.ts';

/** Helium's rows of these records, one question for each object; `lock` keeps them from changing until the transaction ends. */
export async function readRowsOf(
  pump: Pump,
  db: Db,
  keys: readonly RecordKey[],
  lock: boolean,
): Promise<KeyMap<HeliumRow>> {
  const rows = new KeyMap<HeliumRow>();
  for (const map of pump.mapping.objects) {
    const { table } = map;
    const ids = keys.filter((key) => key.table === table).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const row of await pump.helium.readRows(db, map, ids, lock)) rows.set({ table, id: row.id }, row);
  }
  return rows;
}
