/** Journey → Helium: reads all objects that need a full read, one page at a time. */

import { formatCount } from '../../../integration/format-count.ts';
import type { ObjectMap } from '../../../mapping/object-map.ts';
import { readKnownIds } from '../../../sync-state/records.store.ts';
import { type Snapshot, saveRun } from '../../../sync-state/runs.store.ts';
import { collectAbsences, settleAbsences } from '../../missing/absences.ts';
import { findCommonPage } from '../../missing/common-page.ts';
import { forgetMissing } from '../../missing/rewritten-tables.ts';
import { verifyJourney } from '../../restore/notice/check-journey.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { findObjectMap, pageSize, withLockedState } from '../../state/context.ts';
import { getNextFullRead } from '../../state/next-full-read.ts';
import { applyEntries } from '../writer/apply-entries.ts';
import { applyPage } from '../writer/apply-page.ts';
import { applyListed, settleLost } from './apply-listed.ts';

/** Reads and applies one page. Returns whether there is more to do at once. */
export async function readAllObjects(active: ActiveRun, snapshot: Snapshot): Promise<boolean> {
  const { context, run, progress } = active;
  const { endedTable, ...read } = snapshot;
  if (endedTable !== undefined) {
    await settleAbsences(active, { side: 'journey', table: endedTable }, snapshot);
    await settleLost(active, endedTable, snapshot.absent);
    await withLockedState(context, (db) => saveRun(db, context.stateId, { toHelium: read }));
    progress.continueFullReadToHelium(read);
    return true;
  }
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const next = getNextFullRead(snapshot);
    if (next) {
      await applyPage(context, { entries: [], toHelium: next });
      progress.continueFullReadToHelium(next);
      return true;
    }
    const done = { toHelium: null, ...(snapshot.head !== null && { opLogCursor: snapshot.head }) };
    await applyPage(context, { entries: [], ...done });
    progress.finishFullReadToHelium(snapshot.head);
    run.log('INFO', `Journey → Helium: full read complete, ${formatCount(snapshot.count, 'record')}.`);
    active.echoes.expectEchoes();
    active.toJourney.wake();
    return true;
  }
  const map = findObjectMap(context, table);
  const { afterId } = snapshot;
  if (map && afterId === null && snapshot.absent === 'keep') await forgetMissing(active, table);
  const { entries, absentIds, lastId, hasKnown } = map
    ? await listPage(active, map, afterId)
    : { entries: [], absentIds: [], lastId: null, hasKnown: false };
  const next = {
    ...snapshot,
    ...(lastId === null && { tables: others, endedTable: table }),
    afterId: lastId,
    count: snapshot.count + entries.length,
  };
  const isEnd = map !== undefined && lastId === null;
  const pageEnd = { toHelium: next, ...(isEnd && { completeTable: table }) };
  const isFirstPage = afterId === null;
  await collectAbsences(context, { side: 'journey', table }, { ids: absentIds, isFirstPage });
  if (hasKnown) await applyListed(active, { table, entries, isFirstPage }, pageEnd);
  else await applyEntries(active, entries, { isListing: true, ...pageEnd });
  progress.continueFullReadToHelium(next);
  run.publish({
    lastPingedMs: Date.now(),
    journeySyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}

/** Returns a page of objects as they are, and the known objects that are not listed. */
async function listPage({ context, run, progress }: ActiveRun, map: ObjectMap, afterId: string | null) {
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, pageSize, run.signal));
  const known = await readKnownIds(context.helium.pool, context.stateId, map.table, { afterId, limit: pageSize });
  // After they were listed: what a restore did to them is nobody's edit. When nothing is known, it
  // has nothing to undo.
  if (known.length > 0) await run.withSlot(() => verifyJourney({ context, progress }));
  const ids = listed.map(({ key }) => key.id);
  const { includes, lastId } = findCommonPage(ids, known, pageSize);
  const presentIds = new Set(ids);
  const absentIds = known.filter((id) => includes(id) && !presentIds.has(id));
  return { entries: listed.filter(({ key }) => includes(key.id)), absentIds, lastId, hasKnown: known.length > 0 };
}
