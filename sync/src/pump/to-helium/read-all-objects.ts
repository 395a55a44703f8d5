/** Journey → Helium: reads all objects that need a full read, one page at a time. */
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { readKnownIds } from '../../sync-state/records.store.ts';
import type { Snapshot } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { formatCount } from '../shared/format-count.ts';
import { findObjectMap, pageSize } from '../shared/sync-context.ts';
import { verifyJourney } from '../shared/verify-journey.ts';
import { applyEntries } from './apply-entries.ts';
import { applyPage } from './apply-page.ts';
import { toDeletedEntry } from './to-deleted-entry.ts';

/** Reads and applies one page. Returns whether there is more to do at once. */
export async function readAllObjects(active: ActiveRun, snapshot: Snapshot): Promise<boolean> {
  const { context, run, progress } = active;
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const done = { toHelium: null, ...(snapshot.head !== null && { opLogCursor: snapshot.head }) };
    await applyPage(context, { entries: [], blobs: new Map(), ...done });
    progress.finishFullReadToHelium(snapshot.head);
    run.log('INFO', `Journey → Helium: full read complete, ${formatCount(snapshot.count, 'record')}.`);
    active.echoes.expectEchoes();
    active.toJourney.wake();
    return true;
  }
  const map = findObjectMap(context, table);
  const { entries, lastId } = map
    ? await listPresentAndDeleted(active, map, snapshot.afterId)
    : { entries: [], lastId: null };
  const next = {
    ...snapshot,
    tables: lastId === null ? others : snapshot.tables,
    afterId: lastId,
    count: snapshot.count + entries.length,
  };
  const isEnd = map !== undefined && lastId === null;
  const pageEnd = { toHelium: next, ...(isEnd && { completeTable: table }) };
  const applied = await applyEntries(active, entries, { isListing: true, ...pageEnd });
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
async function listPresentAndDeleted({ context, run, progress }: ActiveRun, map: ObjectMap, afterId: string | null) {
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, pageSize, run.signal));
  const known = await readKnownIds(context.helium.pool, context.stateId, map.table, { afterId, limit: pageSize });
  // After they were listed: what a restore did to them is nobody's edit. When nothing is known, it
  // has nothing to undo.
  if (known.length > 0) await run.withSlot(() => verifyJourney({ context, progress }));
  const ids = listed.map(({ key }) => key.id);
  const { includes, lastId } = findCommonPage(ids, known, pageSize);
  const presentIds = new Set(ids);
  const deleted = known
    .filter((id) => includes(id) && !presentIds.has(id))
    .map((id): JourneyEntry => toDeletedEntry({ table: map.table, id }));
  return { entries: [...listed.filter(({ key }) => includes(key.id)), ...deleted], lastId };
}
