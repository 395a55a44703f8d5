/**
 * Which statements, in which order, bring a set of writes about; each of them writes many rows of
 * one table.
 */

import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';
import type { HeliumBlob } from '../record/blob.ts';
import type { Value } from '../record/fields.ts';
import { keyText } from '../record/record-key.ts';
import { type BlobColumns, type BlobColumnsOf, blobKey } from './blob-columns.ts';
import type { HeliumWrite } from './helium-end.ts';

/** A write with its place among those asked for. */
export interface Numbered {
  readonly no: number;
  readonly write: HeliumWrite;
}

export interface StepRow {
  /** Of the write it is part of. */
  readonly no: number;
  readonly id: string;
  /** By column, as JSON; columns of the step that it lacks become null. */
  readonly values: Readonly<Record<string, Value>>;
}

interface RowsStep {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly StepRow[];
}

interface BlobStep {
  readonly kind: 'blob';
  readonly table: string;
  readonly column: string;
  readonly beside: BlobColumns;
  readonly blob: HeliumBlob;
  readonly rows: readonly StepRow[];
}

export type Step = RowsStep | BlobStep;

interface Plan {
  readonly inserts: RowsStep[];
  readonly updates: RowsStep[];
  readonly blobs: BlobStep[];
  readonly deletes: RowsStep[];
}

/** Whether the row it points at is inserted no sooner than the one that points. */
type IsLate = (field: FieldMap, value: Value) => boolean;

export function isInsert({ fields, isInsert: isNew }: HeliumWrite): boolean {
  return fields !== null && isNew;
}

/**
 * Inserts parents first; a reference at a row that is inserted later, or in the same statement, is
 * set once all are there. Then the updates, the bytes of the blobs, and the deletes, children
 * first.
 */
export function planSteps(
  objects: readonly ObjectMap[],
  writes: readonly Numbered[],
  blobColumns: BlobColumnsOf,
): Step[] {
  const plan: Plan = { inserts: [], updates: [], blobs: [], deletes: [] };
  const toCome = new Set(writes.filter(({ write }) => isInsert(write)).map(({ write }) => keyText(write.key)));
  const isLate: IsLate = ({ references }, value) =>
    references !== undefined && toCome.has(keyText({ table: references, id: String(value).toLowerCase() }));

  for (const map of objects) {
    const own = writes.filter(({ write }) => write.key.table === map.table);
    planTable(plan, map, own, blobColumns, isLate);
    for (const { write } of own) toCome.delete(keyText(write.key));
  }
  return [...plan.inserts, ...plan.updates, ...plan.blobs, ...plan.deletes];
}

function planTable(
  plan: Plan,
  map: ObjectMap,
  writes: readonly Numbered[],
  blobColumns: BlobColumnsOf,
  isLate: IsLate,
): void {
  const { table } = map;
  const inserted: StepRow[] = [];
  const deleted: StepRow[] = [];
  const changed = new Map<string, { readonly columns: readonly string[]; readonly rows: StepRow[] }>();
  const change = (row: StepRow, columns: readonly string[]) => {
    const alike = changed.get(columns.join()) ?? { columns, rows: [] };
    changed.set(columns.join(), alike);
    alike.rows.push(row);
  };

  for (const { no, write } of writes) {
    const { id } = write.key;
    if (write.fields === null) {
      deleted.push({ no, id, values: {} });
      continue;
    }
    const _tstamp_ = new Date(write.changedAtMs).toISOString();
    const values: Record<string, Value> = { _tstamp_ };
    const late: Record<string, Value> = { _tstamp_ };
    const named: FieldMap[] = [];
    const latelyNamed: string[] = [];
    for (const field of map.fields) {
      const { column, kind } = field;
      const value = write.fields[column];
      if (value === undefined) continue;
      if (kind === 'blob' && value !== null) {
        plan.blobs.push(blobStep(table, column, { no, write }, blobColumns));
      } else if (write.isInsert && isLate(field, value)) {
        late[column] = value;
        latelyNamed.push(column);
      } else {
        values[column] = value;
        named.push(field);
      }
    }
    if (write.isInsert) inserted.push({ no, id, values });
    else change({ no, id, values }, columnsOf(table, named, blobColumns));
    if (latelyNamed.length > 0) change({ no, id, values: late }, latelyNamed);
  }

  const columns = columnsOf(table, map.fields, blobColumns);
  if (inserted.length > 0) plan.inserts.push({ kind: 'insert', table, columns, rows: inserted });
  for (const alike of changed.values()) plan.updates.push({ kind: 'update', table, ...alike });
  if (deleted.length > 0) plan.deletes.unshift({ kind: 'delete', table, columns: [], rows: deleted });
}

function blobStep(table: string, column: string, { no, write }: Numbered, blobColumns: BlobColumnsOf): BlobStep {
  const blob = write.blobs?.[column];
  if (!blob) throw new Error(`The bytes of ${column} of ${keyText(write.key)} are not among those to be written.`);
  const beside = blobColumns.get(blobKey(table, column)) ?? { fileName: null, mediaType: null, size: null };
  return { kind: 'blob', table, column, beside, blob, rows: [{ no, id: write.key.id, values: {} }] };
}

/** A blob's with what is kept beside it, which is emptied along with it. */
function columnsOf(table: string, fields: readonly FieldMap[], blobColumns: BlobColumnsOf): string[] {
  return fields.flatMap(({ column }) => {
    const beside = blobColumns.get(blobKey(table, column));
    return [column, beside?.fileName, beside?.mediaType, beside?.size].filter((name) => typeof name === 'string');
  });
}
