/** Journey → Helium: reads all objects that need a full read, one page at a time. */
import type { ObjectMap } from '../../mapping/object-map.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { readKnownIds } from '../../sync-state/records.store.ts';
import { forgetRecords } from '../../sync-state/recovery.store.ts';
import type { Snapshot } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { formatCount } from '../shared/format-count.ts';
import { getNextFullRead } from '../shared/next-full-read.ts';
import { findObjectMap, pageSize, withLockedState } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import { applyPage } from './apply-page.ts';
import { toDeletedEntry } from './to-deleted-entry.ts';

/** Reads and applies one page. Returns whether there is more to do at once. */
export async function readAllObjects(active: ActiveRun, snapshot: Snapshot): Promise<boolean> {
  const { context, run, progress } = active;
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const next = getNextFullRead(snapshot);
    if (next) {
      await applyPage(context, { entries: [], blobs: new Map(), toHelium: next });
      progress.continueFullReadToHelium(next);
      return true;
    }
    const done = { toHelium: null, ...(snapshot.head !== null && { opLogCursor: snapshot.head }) };
    await applyPage(context, { entries: [], blobs: new Map(), ...done });
    progress.finishFullReadToHelium(snapshot.head);
    run.log('INFO', `Journey → Helium: full read complete, ${formatCount(snapshot.count, 'record')}.`);
    active.echoes.expectEchoes();
    active.toJourney.wake();
    return true;
  }
  const map = findObjectMap(context, table);
  const { entries, lastId } = map ? await listPresentAndDeleted(active, map, snapshot) : { entries: [], lastId: null };
  const next = {
    ...snapshot,
    tables: lastId === null ? others : snapshot.tables,
    afterId: lastId,
    count: snapshot.count + entries.length,
  };
  const applied = await applyEntries(active, entries, { isListing: true, toHelium: next });
  if (applied === 'read-again') return true;
  progress.continueFullReadToHelium(next);
  run.publish({
    lastPingedMs: Date.now(),
    journeySyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}

/**
 * Returns objects as they are, and known objects that are no longer there as deleted. The logs may
 * not contain their deletion any more.
 */
async function listPresentAndDeleted(active: ActiveRun, map: ObjectMap, { afterId, absent }: Snapshot) {
  const { context, run } = active;
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, pageSize, run.signal));
  const known = await readKnownIds(context.helium.pool, context.stateId, map.table, { afterId, limit: pageSize });
  const ids = listed.map(({ key }) => key.id);
  const { includes, lastId } = findCommonPage(ids, known, pageSize);
  const presentIds = new Set(ids);
  const missing = known
    .filter((id) => includes(id) && !presentIds.has(id))
    .map((id): RecordKey => ({ table: map.table, id }));
  if (absent === 'keep') await restoreFromHelium(active, missing);
  const deleted = absent === 'keep' ? [] : missing.map(toDeletedEntry);
  return { entries: [...listed.filter(({ key }) => includes(key.id)), ...deleted], lastId };
}

/** Forgets records without an object, so that they come back from Helium. */
async function restoreFromHelium({ context, toJourney }: ActiveRun, keys: readonly RecordKey[]): Promise<void> {
  if (keys.length === 0) return;
  await withLockedState(context, async (db) => {
    await forgetRecords(db, context.stateId, keys);
    await markDirty(db, context.stateId, keys);
  });
  toJourney.wake();
}
