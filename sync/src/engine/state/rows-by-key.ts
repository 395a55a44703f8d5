import type { Db, HeliumRow } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import type { SyncContext } from './context.ts';

/** Reads Helium's rows of these records with one query per object. */
export async function readRowsByKey(
  context: SyncContext,
  db: Db,
  keys: readonly RecordKey[],
): Promise<KeyMap<HeliumRow>> {
  const rows = new KeyMap<HeliumRow>();
  for (const { map, ids } of groupByObject(context, keys))
    for (const row of await context.helium.readRows(db, map, ids)) rows.set({ table: map.table, id: row.id }, row);
  return rows;
}

/** A row that another session has locked, and by whom. */
export interface BusyRow {
  readonly row: HeliumRow;
  /** One sentence. */
  readonly reason: string;
}

/**
 * Locks Helium's rows of these records until the transaction ends, without waiting for other
 * sessions.
 */
export async function lockRowsByKey(
  context: SyncContext,
  db: Db,
  keys: readonly RecordKey[],
): Promise<{ readonly rows: KeyMap<HeliumRow>; readonly busy: KeyMap<BusyRow> }> {
  const { helium } = context;
  const rows = new KeyMap<HeliumRow>();
  const busy = new KeyMap<BusyRow>();
  for (const { map, ids } of groupByObject(context, keys)) {
    const { table } = map;
    const found = await helium.lockRows(db, map, ids);
    for (const row of found.locked) rows.set({ table, id: row.id }, row);
    if (found.busy.length === 0) continue;
    const busyIds = found.busy.map(({ id }) => id);
    const holders = await helium.describeRowLocks(db, table, busyIds);
    for (const row of found.busy) {
      const holder = holders.get(row.id) ?? 'by a session that has just ended';
      busy.set({ table, id: row.id }, { row, reason: `Its row in Helium is locked: ${holder}.` });
    }
  }
  return { rows, busy };
}

function groupByObject(
  { mapping }: Pick<SyncContext, 'mapping'>,
  keys: readonly RecordKey[],
): { readonly map: ObjectMap; readonly ids: readonly string[] }[] {
  return mapping.objects
    .map((map) => ({ map, ids: keys.filter(({ table }) => table === map.table).map(({ id }) => id) }))
    .filter(({ ids }) => ids.length > 0);
}
