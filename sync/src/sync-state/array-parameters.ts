/** Builds parameters that each hold one column of a page. */
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';

/** Returns the parameters for `$n::text[], $m::uuid[]`. */
export function keyColumns(keys: readonly RecordKey[]): [tables: string[], ids: string[]] {
  return [keys.map(({ table }) => table), keys.map(({ id }) => id)];
}

/** The maximum JSON length for one parameter, well below PostgreSQL's limit. */
const maxJsonLength = 64 * 1024 * 1024;

/**
 * Runs a statement for all items. When their fields are too large for one parameter, it runs once
 * per half. `fields` is for `json_array_elements($n)`, where null is JSON's null.
 */
export async function runInParts<Item, Row>(
  all: readonly Item[],
  getFields: (item: Item) => Fields | null,
  run: (part: readonly Item[], fields: string) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const fields = JSON.stringify(all.map(getFields));
  if (all.length <= 1 || fields.length <= maxJsonLength) return [...(await run(all, fields))];
  const middle = all.length >> 1;
  const first = await runInParts(all.slice(0, middle), getFields, run);
  return [...first, ...(await runInParts(all.slice(middle), getFields, run))];
}

/** An element of `json_array_elements` as SQL, without JSON's null. */
export function withoutNullSql(element: string): string {
  return `case when ${element}::text <> 'null' then ${element} end`;
}
