import type { Db, HeliumRow } from '../../helium/helium-gateway.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import type { SyncContext } from './sync-context.ts';

/**
 * Reads Helium's rows of these records with one query per object. `lock` prevents changes until the
 * transaction ends.
 */
export async function readRowsByKey(
  context: SyncContext,
  db: Db,
  keys: readonly RecordKey[],
  lock: boolean,
): Promise<KeyMap<HeliumRow>> {
  const rows = new KeyMap<HeliumRow>();
  for (const map of context.mapping.objects) {
    const { table } = map;
    const ids = keys.filter((key) => key.table === table).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const row of await context.helium.readRows(db, map, ids, lock)) rows.set({ table, id: row.id }, row);
  }
  return rows;
}
