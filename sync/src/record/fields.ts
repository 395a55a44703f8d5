/**
 * A record's content in the form in which both sides are compared: by Helium's column names, with
 * plain JSON values. Values with the same meaning are equal:
 *
 *   int, decimal → number · bool → boolean · string, enum → the text
 *   uuid and `{relation}_fk` → lower-case text
 *   date → '2024-02-27' · datetime → '2024-02-22T14:00:53Z', whole seconds, UTC
 *   blob → 'sha256:<hex>/<name>', see `file-value.ts`; its bytes are fetched only to be synced
 *
 * A field without a value is null. `Fields` of one object always contain the same columns: those
 * that are synced.
 */
export type Value = null | boolean | number | string;

export type Fields = Readonly<Record<string, Value>>;

/**
 * Creates an object without a prototype's names, such as `constructor`: any name may be a column.
 * Unlike those of `Object.create(null)`, its properties are as fast as a literal's.
 */
export function createFields<Content = Value>(): Record<string, Content> {
  return new Bare() as Record<string, Content>;
}

class Bare {}
Object.setPrototypeOf(Bare.prototype, null);
Reflect.deleteProperty(Bare.prototype, 'constructor');

/** Returns the value of a column; null when there is none, whatever the name of the column is. */
export function getValue(fields: Fields | null | undefined, column: string): Value {
  const value = fields?.[column];
  // What every object inherits is a function or an object, and no value is.
  return typeof value === 'object' || typeof value === 'function' ? null : (value ?? null);
}

/**
 * Returns the values in `after` that differ. A column that is missing in `before` counts as
 * different.
 */
export function changedFields(before: Fields, after: Fields): Fields {
  const changed = createFields();
  for (const column in after) {
    const value = after[column];
    if (value !== undefined && before[column] !== value) changed[column] = value;
  }
  return changed;
}

export function isEmpty(fields: Fields): boolean {
  for (const _ in fields) return false;
  return true;
}

/** Whether both have the same values in every column that either contains. */
export function areFieldsEqual(a: Fields | null, b: Fields | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return hasSameValues(a, b) && hasSameValues(b, a);
}

/**
 * Equals an empty `changedFields(before, after)` without building the object, because it runs often
 * per record.
 */
function hasSameValues(before: Fields, after: Fields): boolean {
  for (const column in after) {
    const value = after[column];
    if (value !== undefined && before[column] !== value) return false;
  }
  return true;
}
