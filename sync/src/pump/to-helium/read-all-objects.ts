/**
 * Journey → Helium: everything Journey has of the objects that are to be read whole, a page at a
 * time.
 */
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { readKnownIds } from '../../sync-state/records.store.ts';
import type { Snapshot } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { formatCount } from '../shared/format-count.ts';
import { mapOf, pageSize } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import { applyPage } from './apply-page.ts';
import { deletedEntry } from './deleted-entry.ts';

/** Reads and applies one page. Returns whether there is more to do at once. */
export async function readAllObjects(active: ActiveRun, snapshot: Snapshot): Promise<boolean> {
  const { context, run, progress } = active;
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const done = { toHelium: null, ...(snapshot.head !== null && { opLogCursor: snapshot.head }) };
    await applyPage(context, { entries: [], blobs: new Map(), ...done });
    progress.finishFullReadToHelium(snapshot.head);
    run.log('INFO', `Journey → Helium: everything is read, ${formatCount(snapshot.count, 'record')}.`);
    active.echoes.expectEchoes();
    active.toJourney.wake();
    return true;
  }
  const map = mapOf(context, table);
  const { entries, lastId } = map
    ? await listWhatIsAndWas(active, map, snapshot.afterId)
    : { entries: [], lastId: null };
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
 * Objects as they are, and as deleted those that are known and not among them: their end may be in
 * no log any more.
 */
async function listWhatIsAndWas({ context, run }: ActiveRun, map: ObjectMap, afterId: string | null) {
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, pageSize, run.signal));
  const known = await readKnownIds(context.helium.pool, context.stateId, map.table, { afterId, limit: pageSize });
  const ids = listed.map(({ key }) => key.id);
  const { includes, lastId } = findCommonPage(ids, known, pageSize);
  const there = new Set(ids);
  const gone = known
    .filter((id) => includes(id) && !there.has(id))
    .map((id): JourneyEntry => deletedEntry({ table: map.table, id }));
  return { entries: [...listed.filter(({ key }) => includes(key.id)), ...gone], lastId };
}
