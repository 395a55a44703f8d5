/**
 * A value that differs before and after. `path` is empty when the whole value
 * differs.
 */
export interface Difference {
  readonly path: readonly string[];
  readonly kind: 'added' | 'removed' | 'changed';
  /** The values as text, or null if there was none. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Returns the differences between two JSON values, sorted by path. Objects are compared key by key.
 * Lists are single values: audit entries store short lists, and rows such as "moved by one" would
 * not help. `null` and `undefined` both mean no value.
 */
export function findDifferences(before: unknown, after: unknown): Difference[] {
  const rows: Difference[] = [];
  collectDifferences([], before, after, rows);
  return rows.sort((a, b) => (a.path.join('\0') < b.path.join('\0') ? -1 : 1));
}

function collectDifferences(path: readonly string[], before: unknown, after: unknown, rows: Difference[]): void {
  if (isObject(before) || isObject(after)) {
    const beforeByKey = isObject(before) ? before : {};
    const afterByKey = isObject(after) ? after : {};
    for (const key of new Set([...Object.keys(beforeByKey), ...Object.keys(afterByKey)]))
      collectDifferences([...path, key], getOwn(beforeByKey, key), getOwn(afterByKey, key), rows);
    // When a plain value becomes an object or the reverse, that is a difference in addition to
    // those of the keys.
    if (!isObject(before) || !isObject(after))
      pushValue(path, isObject(before) ? null : before, isObject(after) ? null : after, rows);
    return;
  }
  pushValue(path, before, after, rows);
}

function pushValue(path: readonly string[], before: unknown, after: unknown, rows: Difference[]): void {
  const beforeText = toText(before);
  const afterText = toText(after);
  if (beforeText === afterText) return;
  const kind = beforeText === null ? 'added' : afterText === null ? 'removed' : 'changed';
  rows.push({ path, kind, before: beforeText, after: afterText });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads own properties only, because an entry may have a key such as "constructor". */
function getOwn(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Keeps the quotes of strings, to distinguish "15" from 15. */
function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
