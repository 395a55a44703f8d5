/**
 * One value that is not the same before and after. `path` is empty when the whole thing is one
 * value.
 */
export interface Difference {
  readonly path: readonly string[];
  readonly kind: 'added' | 'removed' | 'changed';
  /** The values as text, null where there was none. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What changed between two JSON values, one row per value that differs, sorted by path. Objects are
 * compared key by key; lists are values of their own, because an audit entry stores short lists and
 * "moved by one" rows help nobody. `null` and `undefined` both mean "there was none".
 */
export function findDifferences(before: unknown, after: unknown): Difference[] {
  const rows: Difference[] = [];
  collect([], before, after, rows);
  return rows.sort((a, b) => (a.path.join('\0') < b.path.join('\0') ? -1 : 1));
}

function collect(path: readonly string[], before: unknown, after: unknown, rows: Difference[]): void {
  if (isKeyed(before) || isKeyed(after)) {
    const beforeByKey = isKeyed(before) ? before : {};
    const afterByKey = isKeyed(after) ? after : {};
    for (const key of new Set([...Object.keys(beforeByKey), ...Object.keys(afterByKey)]))
      collect([...path, key], own(beforeByKey, key), own(afterByKey, key), rows);
    // A plain value that became an object, or the other way round, is a difference beside those of
    // the object's keys.
    if (!isKeyed(before) || !isKeyed(after))
      pushValue(path, isKeyed(before) ? null : before, isKeyed(after) ? null : after, rows);
    return;
  }
  pushValue(path, before, after, rows);
}

function pushValue(path: readonly string[], before: unknown, after: unknown, rows: Difference[]): void {
  const beforeText = textOf(before);
  const afterText = textOf(after);
  if (beforeText === afterText) return;
  const kind = beforeText === null ? 'added' : afterText === null ? 'removed' : 'changed';
  rows.push({ path, kind, before: beforeText, after: afterText });
}

function isKeyed(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own keys only: an entry may hold a key such as "constructor". */
function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Texts stay in quotes, so that "15" and 15 can be told apart. */
function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
