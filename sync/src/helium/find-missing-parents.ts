import type { ObjectMap } from '../mapping/object-map.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import type { Db } from './helium-end.ts';
import { qualified } from './log-names.ts';
import { preparedQuery } from './prepared-query.ts';
import { isInsert, type Numbered } from './write-steps.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a write points at. What is no id at all is left to PostgreSQL to refuse. */
export function parentsOf(map: ObjectMap, { write }: Numbered): RecordKey[] {
  const parents: RecordKey[] = [];
  for (const { column, references } of map.fields) {
    const id = write.fields?.[column];
    if (references === undefined || typeof id !== 'string' || !uuid.test(id)) continue;
    parents.push({ table: references, id: id.toLowerCase() });
  }
  return parents;
}

/**
 * Which of these rows are there, by their key's text: one question for each table. They stay there
 * until the transaction ends, locked no more than a foreign key would.
 */
export async function findThere(db: Db, schema: string, keys: readonly RecordKey[]): Promise<Set<string>> {
  const idsOf = new Map<string, Set<string>>();
  for (const { table, id } of keys) idsOf.set(table, (idsOf.get(table) ?? new Set()).add(id));
  const there = new Set<string>();
  for (const [table, ids] of [...idsOf].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { rows } = await db.query<{ id: string }>(
      preparedQuery(
        db,
        `select _id_::text as id from ${qualified(schema, table)} where _id_ = any($1::uuid[]) order by _id_ for key share`,
        [[...ids]],
      ),
    );
    for (const { id } of rows) there.add(keyText({ table, id }));
  }
  return there;
}

/**
 * Those writes whose parents are neither there nor inserted along with them, with the parents they
 * lack. Who waits for one that waits itself is among them.
 */
export function findMissingParents(
  mapOf: ReadonlyMap<string, ObjectMap>,
  writes: readonly Numbered[],
  there: ReadonlySet<string>,
): Map<number, RecordKey[]> {
  const missing = new Map<number, RecordKey[]>();
  const toCome = new Set(writes.filter(({ write }) => isInsert(write)).map(({ write }) => keyText(write.key)));
  for (let before = -1; before !== missing.size; ) {
    before = missing.size;
    for (const numbered of writes) {
      const map = mapOf.get(numbered.write.key.table);
      if (!map || missing.has(numbered.no)) continue;
      const lacking = parentsOf(map, numbered).filter((key) => !there.has(keyText(key)) && !toCome.has(keyText(key)));
      if (lacking.length === 0) continue;
      missing.set(numbered.no, lacking);
      toCome.delete(keyText(numbered.write.key));
    }
  }
  return missing;
}
