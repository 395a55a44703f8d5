import type { Snapshot } from '../../sync-state/runs.store.ts';

/** Returns the full read that follows a complete one; null when there is none. */
export function getNextFullRead({ head, nextTables = [], nextAbsent, count }: Snapshot): Snapshot | null {
  if (nextTables.length === 0) return null;
  return { head, tables: nextTables, afterId: null, count, ...(nextAbsent && { absent: nextAbsent }) };
}

/**
 * Returns a full read that was planned for some tables, followed by the tables of an unfinished
 * one. What was decided for the planned tables does not concern these.
 *
 * @param synced all tables of this direction, which a requested version reads
 */
export function addUnfinished(
  planned: Snapshot | null,
  before: Snapshot | null,
  synced: readonly string[],
): Snapshot | null {
  if (planned === null || before === null) return planned ?? before;
  const unfinished = before.isRequested ? synced : before.tables;
  const nextTables = unfinished.filter((table) => !planned.tables.includes(table));
  // A version that an operator requested deletes nothing. A decision about the tables before is
  // none about these.
  const absent = before.isRequested ? 'keep' : before.absent;
  const nextAbsent = absent === 'delete' ? undefined : absent;
  return { ...planned, head: before.head, nextTables, ...(nextAbsent && { nextAbsent }) };
}
