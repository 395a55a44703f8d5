/** Which statements, in which order, bring a set of writes about; each of them writes many rows of one table. */
import type { Value } from '../engine/fields.ts';
import { keyText } from '../engine/record-key.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { type BlobColumns, type BlobColumnsOf, blobKey } from './blob-columns.ts';
import type { HeliumBlob, HeliumWrite } from './helium-end.ts';

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

export type Step = (RowsStep & { readonly kind: 'insert' | 'update' | 'delete' }) | BlobStep;

/**
 * Inserts parents first; a reference at a row that is inserted later, or in the same statement, is set once all are
 * there. Then the updates, the bytes of the blobs, and the deletes, children first.
 */
export function planSteps(
  objects: readonly ObjectMap[],
  writes: readonly Numbered[],
  blobColumns: BlobColumnsOf,
): Step[] {
  const orderOf = new Map(objects.map(({ table }, order) => [table, order]));
  const inserted = new Map(
    writes
      .filter(({ write }) => isInsert(write))
      .map(({ write }) => [keyText(write.key), orderOf.get(write.key.table)]),
  );
  const inserts: Step[] = [];
  const updates: Step[] = [];
  const blobs: Step[] = [];
  const deletes: Step[] = [];

  for (const [order, map] of objects.entries()) {
    const { table } = map;
    const byColumns = new Map<string, { columns: readonly string[]; rows: StepRow[] }>();
    const update = (columns: readonly string[], row: StepRow) => {
      const alike = byColumns.get(columns.join()) ?? { columns, rows: [] };
      alike.rows.push(row);
      byColumns.set(columns.join(), alike);
    };
    const insertedRows: StepRow[] = [];
    const deletedRows: StepRow[] = [];

    for (const { no, write } of writes) {
      if (write.key.table !== table) continue;
      const { id } = write.key;
      if (write.fields === null) {
        deletedRows.push({ no, id, values: {} });
        continue;
      }
      const values: Record<string, Value> = { _tstamp_: new Date(write.changedAtMs).toISOString() };
      const late: Record<string, Value> = {};
      const columns: string[] = [];
      for (const { column, kind, references } of map.fields) {
        const value = write.fields[column];
        if (value === undefined) continue;
        const parentOrder =
          references !== undefined && inserted.get(keyText({ table: references, id: String(value).toLowerCase() }));
        if (kind === 'blob' && value !== null) {
          blobs.push(blobStep(map, column, write, { no, id, values: {} }, blobColumns));
        } else if (write.isInsert && typeof parentOrder === 'number' && parentOrder >= order) {
          late[column] = value;
        } else {
          values[column] = value;
          columns.push(column, ...(kind === 'blob' ? namesBeside(blobColumns.get(blobKey(table, column))) : []));
        }
      }
      if (write.isInsert) insertedRows.push({ no, id, values });
      else update(columns, { no, id, values });
      const lateColumns = Object.keys(late);
      if (lateColumns.length > 0) {
        update(lateColumns, { no, id, values: { _tstamp_: values._tstamp_ ?? null, ...late } });
      }
    }

    const all = map.fields.flatMap(({ column }) => [column, ...namesBeside(blobColumns.get(blobKey(table, column)))]);
    if (insertedRows.length > 0) inserts.push({ kind: 'insert', table, columns: all, rows: insertedRows });
    for (const { columns, rows } of byColumns.values()) updates.push({ kind: 'update', table, columns, rows });
    if (deletedRows.length > 0) deletes.unshift({ kind: 'delete', table, columns: [], rows: deletedRows });
  }
  return [...inserts, ...updates, ...blobs, ...deletes];
}

export function isInsert({ fields, isInsert: isNew }: HeliumWrite): boolean {
  return fields !== null && isNew;
}

function blobStep(
  { table }: ObjectMap,
  column: string,
  { blobs, key }: HeliumWrite,
  row: StepRow,
  blobColumns: BlobColumnsOf,
): BlobStep {
  const blob = blobs?.[column];
  if (!blob) throw new Error(`The bytes of ${column} of ${keyText(key)} are not among those to be written.`);
  const beside = blobColumns.get(blobKey(table, column)) ?? { fileName: null, mediaType: null, size: null };
  return { kind: 'blob', table, column, beside, blob, rows: [row] };
}

function namesBeside(beside: BlobColumns | undefined): string[] {
  if (!beside) return [];
  return [beside.fileName, beside.mediaType, beside.size].filter((name) => name !== null);
}
