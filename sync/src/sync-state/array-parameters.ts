/** Parameters that hold one column of a page each. */
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';

/** For `$n::text[], $m::uuid[]`. */
export function keyColumns(keys: readonly RecordKey[]): [tables: string[], ids: string[]] {
  return [keys.map(({ table }) => table), keys.map(({ id }) => id)];
}

/** As much text as PostgreSQL reads as one jsonb, escapes and all, with room to spare. */
const jsonbMax = 64 * 1024 * 1024;

/**
 * Runs the statement for all of them, or, when their fields are too large for one, for one half
 * after the other. `fields` are for `jsonb_array_elements($n)`, where null is JSON's null.
 */
export async function inParts<One, Answer>(
  all: readonly One[],
  fieldsOf: (one: One) => Fields | null,
  run: (part: readonly One[], fields: string) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const fields = JSON.stringify(all.map(fieldsOf));
  if (all.length <= 1 || fields.length <= jsonbMax) return [...(await run(all, fields))];
  const middle = all.length >> 1;
  const first = await inParts(all.slice(0, middle), fieldsOf, run);
  return [...first, ...(await inParts(all.slice(middle), fieldsOf, run))];
}
