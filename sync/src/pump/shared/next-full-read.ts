import type { Snapshot } from '../../sync-state/runs.store.ts';

/** Returns the full read that follows a complete one; null when there is none. */
export function getNextFullRead({ head, nextTables = [], count }: Snapshot): Snapshot | null {
  return nextTables.length === 0 ? null : { head, tables: nextTables, afterId: null, count };
}
