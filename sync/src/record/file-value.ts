/**
 * A file as a value: its content, and the name that it has in Journey.
 *
 *   sha256:<hex>         its name is not known, or its field has no name
 *   sha256:<hex>/        it has no name of its own, only one that was made up
 *   sha256:<hex>/<name>  its name in Journey's form
 *
 * Its media type is no part of the value, because Journey has no such property: it derives the type
 * from the file.
 */
import { createFields, type Fields, getValue, type Value } from './fields.ts';

const hashLength = 'sha256:'.length + 64;

/** @param hash `sha256:<hex>`. @param name in Journey's form; '' for none */
export function toFileValue(hash: string, name: string): string {
  return `${hash}/${name}`;
}

/** Returns `sha256:<hex>` of the file's bytes. */
export function getFileHash(value: string): string {
  return value.slice(0, hashLength);
}

/** Returns the name in Journey's form; '' when there is none, or it is not known. */
export function getFileName(value: string): string {
  return value.slice(hashLength + 1);
}

/** Whether both have the same bytes, under any name; also for two missing files. */
export function isSameContent(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return one === other;
  return getFileHash(one) === getFileHash(other);
}

/**
 * Returns `other` when both are the same file, and only `other` has a name or one name is not
 * known. Otherwise returns `value`.
 */
export function alignFile(value: Value, other: Value): Value {
  if (value === other || typeof value !== 'string' || typeof other !== 'string') return value;
  if (getFileHash(value) !== getFileHash(other)) return value;
  return getFileName(value) === '' || other.length === hashLength ? other : value;
}

/** The synced columns of a table. */
type Columns = readonly { readonly column: string; readonly kind: string }[];

/**
 * Takes over the files of other states of the record, so that the same file is the same value. An
 * equal value in any of them comes first. Returns the same object when nothing changes.
 */
export function alignFiles(columns: Columns, fields: Fields, others: readonly (Fields | null)[]): Fields {
  let aligned: Record<string, Value> | undefined;
  for (const { column, kind } of columns) {
    if (kind !== 'blob' || !Object.hasOwn(fields, column)) continue;
    const value = getValue(fields, column);
    if (value === null || others.some((other) => getValue(other, column) === value)) continue;
    const known = others.find((other) => alignFile(value, getValue(other, column)) !== value);
    if (!known) continue;
    aligned ??= Object.assign(createFields(), fields);
    aligned[column] = getValue(known, column);
  }
  return aligned ?? fields;
}

/**
 * Adds names that are not known to the known state of a record: they are those that Helium's row
 * has now. Returns the same object when there are none.
 */
function learnNames(columns: Columns, known: Fields, row: Fields): Fields {
  let learned: Record<string, Value> | undefined;
  for (const { column, kind } of columns) {
    if (kind !== 'blob') continue;
    const [value, inRow] = [getValue(known, column), getValue(row, column)];
    if (typeof value !== 'string' || typeof inRow !== 'string') continue;
    if (value.length !== hashLength || inRow.length === hashLength || getFileHash(inRow) !== value) continue;
    learned ??= Object.assign(createFields(), known);
    learned[column] = inRow;
  }
  return learned ?? known;
}

/** Returns the state with the names that only its row has; the same object when there are none. */
export function withLearnedNames<State extends { readonly journey: Fields | null }>(
  columns: Columns,
  state: State,
  row: Fields,
): State {
  const journey = state.journey && learnNames(columns, state.journey, row);
  return journey === state.journey ? state : { ...state, journey };
}
