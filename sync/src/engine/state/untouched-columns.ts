import type { Db, HeliumRow } from '../../helium/helium-gateway.ts';
import type { Fields } from '../../record/fields.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import { findObjectMap, type SyncContext } from './context.ts';

/**
 * Returns the columns of rows that have a default which no one has entered. Runs no query unless a
 * column is merged for the first time.
 *
 * @param records with what is known of Journey
 */
export async function readUntouched(
  { helium, mapping }: Pick<SyncContext, 'helium' | 'mapping'>,
  db: Db,
  records: readonly { readonly key: RecordKey; readonly base: Fields | null }[],
  rows: KeyMap<HeliumRow>,
): Promise<KeyMap<readonly string[]>> {
  const untouched = new KeyMap<readonly string[]>();
  const ids = new Map<string, string[]>();
  for (const { key, base } of records) {
    const map = findObjectMap({ mapping }, key.table);
    const isNew = map?.fields.some(({ column, source }) => source?.added && !Object.hasOwn(base ?? {}, column));
    if (isNew && rows.has(key)) ids.set(key.table, [...(ids.get(key.table) ?? []), key.id]);
  }
  for (const [table, idsOfTable] of ids) {
    const map = findObjectMap({ mapping }, table);
    if (!map) continue;
    for (const [id, columns] of await helium.findUntouched(db, map, idsOfTable)) untouched.set({ table, id }, columns);
  }
  return untouched;
}
