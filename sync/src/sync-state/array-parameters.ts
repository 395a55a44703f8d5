/**
 * Parameters that hold a column of a page each: PostgreSQL's arrays written here, because the driver would quote and copy
 * every value by itself.
 */
import type { Fields } from '../record/fields.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';

/** For `$n::text[], $m::uuid[]`. */
export function keyColumns(keys: readonly RecordKey[]): [tables: string, ids: string] {
  const names = new Map<string, string>();
  const tables: string[] = [];
  const ids: string[] = [];
  for (const { table, id } of keys) {
    const name = names.get(table) ?? quoted(table);
    names.set(table, name);
    tables.push(name);
    ids.push(id);
  }
  return [`{${tables.join()}}`, `{${ids.join()}}`];
}

/** For `$n::text[]`: each as `keyText` has it. */
export function keyTextColumn(keys: readonly RecordKey[]): string {
  return `{${keys.map((key) => quoted(keyText(key))).join()}}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** For arrays of numbers, and of words that need no quoting. */
export function plainColumn(values: readonly (number | string | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join()}}`;
}

/** For `jsonb_array_elements($n)`, where nothing is JSON's null. */
export function fieldsColumn(all: readonly (Fields | null)[]): string {
  return JSON.stringify(all);
}

/** As much text as PostgreSQL reads as one jsonb, escapes and all, with room to spare. */
const jsonbMax = 64 * 1024 * 1024;

/** Runs the statement for all of them, or, when their fields are too large for one, for one half after the other. */
export async function inParts<One, Answer>(
  all: readonly One[],
  fieldsOf: (one: One) => Fields | null,
  run: (part: readonly One[], fields: string) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const fields = fieldsColumn(all.map(fieldsOf));
  if (all.length <= 1 || fields.length <= jsonbMax) return [...(await run(all, fields))];
  const middle = all.length >> 1;
  const first = await inParts(all.slice(0, middle), fieldsOf, run);
  return [...first, ...(await inParts(all.slice(middle), fieldsOf, run))];
}
