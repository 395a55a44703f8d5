/**
 * Writes a part of the records that exchange values of a unique key in a ring. One of them gets the
 * value that the part gives up, and waits with it for the next part:
 *
 *   of a: 1 ─▶ 2, b: 2 ─▶ 3, c: 3 ─▶ 1     b is written, and c gets 2 for now
 */
import type { Db, HeliumRow } from '../../../helium/helium-gateway.ts';
import type { RingStep } from '../../../helium/slice-order.ts';
import { readUniqueKeys } from '../../../helium/unique-keys.ts';
import { createFields, type Fields, getValue, isEmpty } from '../../../record/fields.ts';
import { keyText, type RecordKey } from '../../../record/record-key.ts';
import type { SyncContext } from '../../state/context.ts';
import type { MergedEntry } from '../merger/merged-entry.ts';

/** A step of a page, and the records that have the values for which its row waits. */
export interface PageStep extends RingStep<RecordKey> {
  readonly blockedBy: readonly RecordKey[];
}

/** A row as a step writes it. */
interface SteppedRow {
  readonly key: RecordKey;
  readonly rowAfter: HeliumRow;
  /** The values that it gets for now. */
  readonly values: Fields;
}

/** Returns undefined when the records are not as they were when the step was planned. */
export async function planStep(
  { helium: { schema } }: Pick<SyncContext, 'helium'>,
  db: Db,
  merged: readonly MergedEntry[],
  step: PageStep | undefined,
): Promise<SteppedRow | undefined> {
  const find = (key: RecordKey) => merged.find((one) => keyText(one.key) === keyText(key));
  const [moved, from] = step ? [find(step.row), find(step.from)] : [];
  if (!moved?.row || !moved.rowAfter || !from?.row || !from.rowAfter || moved.deferred !== null) return undefined;
  const values = createFields();
  const keys = await readUniqueKeys(db, schema, moved.key.table);
  for (const column of new Set(keys.flatMap(({ columns }) => columns.map(({ name }) => name)))) {
    const before = getValue(moved.row.fields, column);
    const given = getValue(from.row.fields, column);
    if (before === getValue(moved.rowAfter.fields, column) || given === getValue(from.rowAfter.fields, column))
      continue;
    // What users of the app have changed is merged when the row gets its own value.
    if (before === getValue(moved.base, column)) values[column] = given;
  }
  if (isEmpty(values)) return undefined;
  return { key: moved.key, values, rowAfter: { ...moved.row, fields: { ...moved.row.fields, ...values } } };
}
