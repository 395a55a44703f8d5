/**
 * Finds objects of Journey that have lost what was written to them, where its changes are not read:
 * Journey was restored to a copy that was made between two looks at its op-log.
 *
 *   older than our write ─────────────────────────────▶ lost: a device's edit would be later
 *   missing, and the op-log since our write names no deletion ─▶ lost
 *   anything else ────────────────────────────────────▶ a device has edited or deleted it
 */
import type { ObjectMap } from '../../mapping/object-map.ts';
import { findDifferences } from '../../sync-state/differences.store.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { pageSize } from '../state/context.ts';
import type { LeftRecord } from './find-left-as-is.ts';

/** Journey's times have whole seconds, and its clock is known from its responses only. */
const clockMarginMs = 5_000;

/** A longer op-log is not searched. */
const maxPages = 200;

/** Returns how many of these records have lost what was written. */
export async function countLostWrites(active: ActiveRun, map: ObjectMap, left: readonly LeftRecord[]): Promise<number> {
  // Where the op-log is read, its entry at the cursor shows each restore.
  if (active.isFromJourney) return 0;
  const isReverted = ({ kind, changedAtMs, writtenAtMs }: LeftRecord) =>
    kind === 'changed' && writtenAtMs !== null && changedAtMs !== null && changedAtMs < writtenAtMs - clockMarginMs;
  const missing = left.filter(({ kind, writtenAtMs }) => kind === 'missing' && writtenAtMs !== null);
  return left.filter(isReverted).length + (await countUndeleted(active, map, missing));
}

/** Counts the missing objects of which the op-log would name the deletion, and does not. */
async function countUndeleted(active: ActiveRun, map: ObjectMap, missing: readonly LeftRecord[]): Promise<number> {
  const { helium, stateId } = active.context;
  const keys = missing.map(({ id }) => ({ table: map.table, id }));
  // Those that an earlier comparison found have been decided about.
  const listed = new Set((await findDifferences(helium.pool, stateId, keys)).map(({ id }) => id));
  const found = missing.filter(({ id }) => !listed.has(id));
  if (found.length === 0) return 0;
  const deletions = await readDeletions(active, map);
  if (!deletions) return 0;
  const { sinceMs, ids } = deletions;
  return found.filter(({ id, writtenAtMs }) => (writtenAtMs ?? 0) >= sinceMs && !ids.has(id)).length;
}

/**
 * Returns the deletions of a table that the op-log names, and since when it has all of them; null
 * when that is not known.
 */
async function readDeletions({ context, run }: ActiveRun, { table }: ObjectMap) {
  const { journey, mapping } = context;
  const { signal } = run;
  const oldest = await run.withSlot(() => journey.readOldest(signal));
  if (!oldest) return null;
  const ids = new Set<string>();
  let cursor = String(BigInt(oldest.sequence) - 1n);
  for (let pages = 0; pages < maxPages; pages += 1) {
    const start = { cursor, isStart: pages === 0 };
    const page = await run.withSlot(() => journey.readOpLog({ mapping, ...start, limit: pageSize, signal }));
    if (page.historyLost) return null;
    for (const { key, operation } of page.entries) if (operation === 'delete' && key.table === table) ids.add(key.id);
    if (page.isLast) return { sinceMs: oldest.updatedAtMs, ids };
    // The data model has changed.
    if (page.cursor === cursor) return null;
    cursor = page.cursor;
  }
  return null;
}
