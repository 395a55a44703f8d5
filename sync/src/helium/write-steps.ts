/**
 * Plans the statements for a set of writes and their order. Each statement writes many rows of one
 * table.
 */

import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';
import type { HeliumBlob } from '../record/blob.ts';
import { createFields, getValue, type Value } from '../record/fields.ts';
import { keyText } from '../record/record-key.ts';
import { type BlobColumns, type BlobColumnsOf, blobKey, getBlobCells } from './blob-columns.ts';
import type { HeliumWrite } from './helium-gateway.ts';
import type { WriteOrder } from './order-rows.ts';

/** A write with its position in the request. */
export interface IndexedWrite {
  readonly index: number;
  readonly write: HeliumWrite;
}

export interface StepRow {
  /** Index of the write it belongs to. */
  readonly index: number;
  readonly id: string;
  /** Values by column, as JSON. Columns of the step without a value become null. */
  readonly values: Readonly<Record<string, Value>>;
}

interface RowsStep {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly StepRow[];
  /** Set for updates in the order of their rows. Columns that a row lacks stay as they are. */
  readonly order?: WriteOrder;
  /** Whether an update gives the columns their defaults. */
  readonly isDefault?: true;
}

interface BlobStep {
  readonly kind: 'blob';
  readonly table: string;
  readonly column: string;
  readonly columns?: undefined;
  readonly order?: undefined;
  readonly companions: BlobColumns;
  readonly blob: HeliumBlob;
  readonly rows: readonly StepRow[];
}

export type WriteStep = RowsStep | BlobStep;

interface Plan {
  readonly inserts: RowsStep[];
  readonly updates: RowsStep[];
  readonly blobs: BlobStep[];
  readonly deletes: RowsStep[];
}

export function isInsert({ fields, isInsert: isNew }: HeliumWrite): boolean {
  return fields !== null && isNew;
}

/**
 * Plans inserts with parents first; a reference to a row of the same or a later insert is set
 * afterwards. Updates, blob contents and deletes follow, children deleted first.
 */
export function planSteps(
  objects: readonly ObjectMap[],
  writes: readonly IndexedWrite[],
  blobColumns: BlobColumnsOf,
): WriteStep[] {
  const plan: Plan = { inserts: [], updates: [], blobs: [], deletes: [] };
  const pending = new Set(writes.filter(({ write }) => isInsert(write)).map(({ write }) => keyText(write.key)));
  for (const map of objects) {
    const tableWrites = writes.filter(({ write }) => write.key.table === map.table);
    planTable(plan, map, tableWrites, blobColumns, pending);
    for (const { write } of tableWrites) pending.delete(keyText(write.key));
  }
  return [...plan.inserts, ...plan.updates, ...plan.blobs, ...plan.deletes];
}

function planTable(
  plan: Plan,
  map: ObjectMap,
  writes: readonly IndexedWrite[],
  blobColumns: BlobColumnsOf,
  pending: ReadonlySet<string>,
): void {
  const { table } = map;
  const fields = map.fields.filter(({ isComputed = false }) => !isComputed);
  const inserts = new Map<string, { readonly columns: readonly string[]; readonly rows: StepRow[] }>();
  const deleted: StepRow[] = [];
  const updates = new Map<string, { readonly columns: readonly string[]; readonly rows: StepRow[] }>();
  const addTo = (groups: typeof updates, row: StepRow, written: readonly FieldMap[]) => {
    const columns = withCompanions(table, written, blobColumns);
    const group = groups.get(columns.join()) ?? { columns, rows: [] };
    groups.set(columns.join(), group);
    group.rows.push(row);
  };
  const defaults = new Map<string, { readonly columns: readonly string[]; readonly rows: StepRow[] }>();
  // An empty value of a column that may not be empty is its default, as in a new row.
  const update = (row: StepRow, written: readonly FieldMap[]) => {
    const isReset = ({ column, hasDefault = false, isRequired = false }: FieldMap) =>
      hasDefault && isRequired && getValue(row.values, column) === null;
    const reset = written.filter(isReset);
    if (reset.length > 0) addTo(defaults, row, reset);
    if (reset.length === 0 || reset.length < written.length)
      addTo(
        updates,
        row,
        written.filter((field) => !isReset(field)),
      );
  };
  // A column without a value that is not named gets its default.
  const insert = (row: StepRow) => {
    const isGiven = ({ column }: FieldMap) => getValue(row.values, column) !== null;
    addTo(
      inserts,
      row,
      fields.filter((field) => !field.hasDefault || isGiven(field)),
    );
  };

  for (const { index, write } of writes) {
    if (write.fields === null) {
      deleted.push({ index, id: write.key.id, values: {} });
      continue;
    }
    const { immediate, deferred, blobs } = splitDeferredReferences(fields, write, pending);
    // Its row cannot be inserted without it.
    const isInserted = ({ isRequired = false }: FieldMap) => write.isInsert && isRequired;
    const later = blobs.filter((field) => !isInserted(field));
    plan.blobs.push(...later.map(({ column }) => toBlobStep(table, column, { index, write }, blobColumns)));
    const files = blobs
      .filter(isInserted)
      .map(({ column }) => toBlobStep(table, column, { index, write }, blobColumns));
    if (write.isInsert) insert(withFiles(toStepRow({ index, write }, immediate), files));
    else update(toStepRow({ index, write }, immediate), immediate);
    if (deferred.length > 0) update(toStepRow({ index, write }, deferred), deferred);
  }

  for (const group of inserts.values()) plan.inserts.push({ kind: 'insert', table, ...group });
  for (const group of updates.values()) plan.updates.push({ kind: 'update', table, ...group });
  for (const group of defaults.values()) plan.updates.push({ kind: 'update', table, ...group, isDefault: true });
  if (deleted.length > 0) plan.deletes.unshift({ kind: 'delete', table, columns: [], rows: deleted });
}

/**
 * Splits the fields that a write has values for: references to rows that are not inserted before
 * it and may be empty until then, blob contents, and fields that are written immediately.
 *
 * @param pending keys of the rows that are not inserted yet, or are inserted by the same statement
 */
export function splitDeferredReferences(
  fields: readonly FieldMap[],
  { isInsert, fields: values }: Pick<HeliumWrite, 'isInsert' | 'fields'>,
  pending: ReadonlySet<string>,
): Record<'immediate' | 'deferred' | 'blobs', FieldMap[]> {
  const split: ReturnType<typeof splitDeferredReferences> = { immediate: [], deferred: [], blobs: [] };
  for (const field of fields) {
    const { column, kind, references, isRequired = false } = field;
    const value = values && Object.hasOwn(values, column) ? values[column] : undefined;
    if (value === undefined) continue;
    const isLate = references && pending.has(keyText({ table: references, id: String(value).toLowerCase() }));
    if (kind === 'blob' && value !== null) split.blobs.push(field);
    // PostgreSQL checks a reference when the statement ends: it may lead to a row of the same one.
    else if (isInsert && isLate && !isRequired) split.deferred.push(field);
    else split.immediate.push(field);
  }
  return split;
}

function toStepRow({ index, write }: IndexedWrite, fields: readonly FieldMap[]): StepRow {
  const values = Object.assign(createFields(), { _tstamp_: new Date(write.changedAtMs).toISOString() });
  for (const { column } of fields) values[column] = getValue(write.fields, column);
  return { index, id: write.key.id, values };
}

/** Adds files to a row in the form in which PostgreSQL reads bytes from JSON. */
function withFiles(row: StepRow, files: readonly BlobStep[]): StepRow {
  if (files.length === 0) return row;
  const values = Object.assign(createFields(), row.values);
  for (const { column, companions, blob } of files)
    for (const [name, value] of getBlobCells(column, companions, blob))
      values[name] = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
  return { ...row, values };
}

function toBlobStep(
  table: string,
  column: string,
  { index, write }: IndexedWrite,
  blobColumns: BlobColumnsOf,
): BlobStep {
  const blob = write.blobs?.[column];
  if (!blob) throw new Error(`The bytes of ${column} of ${keyText(write.key)} are missing from the write.`);
  const companions = blobColumns.get(blobKey(table, column)) ?? { fileName: null, mediaType: null, size: null };
  return { kind: 'blob', table, column, companions, blob, rows: [{ index, id: write.key.id, values: {} }] };
}

/**
 * Returns the columns with the companion columns of blobs, which are emptied together with them.
 */
function withCompanions(table: string, fields: readonly FieldMap[], blobColumns: BlobColumnsOf): string[] {
  return fields.flatMap(({ column }) => {
    const companions = blobColumns.get(blobKey(table, column));
    return [column, companions?.fileName, companions?.mediaType, companions?.size].filter(
      (name) => typeof name === 'string',
    );
  });
}

/** Returns the steps with those of their rows that are wanted. */
export function filterSteps(steps: readonly WriteStep[], isWanted: (index: number) => boolean): WriteStep[] {
  return steps
    .map((step) => ({ ...step, rows: step.rows.filter(({ index }) => isWanted(index)) }))
    .filter(({ rows }) => rows.length > 0);
}
