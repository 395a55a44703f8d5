/** Helium → Journey: reads all rows of the tables that need a full read, one page at a time. */
import { KeyMap } from '../../record/record-key.ts';
import { readKnownIds } from '../../sync-state/records.store.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../context/active-run.ts';
import { findObjectMap, pageSize, withLockedState } from '../context/sync-context.ts';
import type { FoundRecord, UnknownRecord } from '../owners/look-up-queue.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { getNextFullRead } from '../shared/next-full-read.ts';
import { collectAbsences, settleAbsences } from '../shared/settle-absences.ts';
import { verifyHelium } from '../verify/verify-helium.ts';
import { lookUp } from './look-up.ts';
import { trySend } from './plan-and-send.ts';

/** Reads and sends one page. */
export async function readAllRows(active: ActiveRun): Promise<void> {
  const { mapping, progress, run } = active;
  let { context } = active;
  let found = new KeyMap<FoundRecord>();
  for (;;) {
    const unknown = await mapping.runSerialized(async () => {
      if (context !== active.context) found = new KeyMap();
      context = active.context;
      return progress.fullReadToJourney ? readPage(active, progress.fullReadToJourney, found) : [];
    });
    if (unknown.length === 0) return;
    // Not serialized with the planning of full reads: the op-log loop, which plans them, answers.
    await lookUp(active, context, unknown, { found, signal: run.signal });
  }
}

/** Returns records that have to be looked up first. */
async function readPage(
  active: ActiveRun,
  snapshot: Snapshot,
  found: KeyMap<FoundRecord>,
): Promise<readonly UnknownRecord[]> {
  const { context, run, progress } = active;
  const { endedTable, ...read } = snapshot;
  if (endedTable !== undefined) {
    await settleAbsences(active, { side: 'helium', table: endedTable }, snapshot);
    await withLockedState(context, (db) => saveRun(db, context.stateId, { toJourney: read }));
    progress.continueFullReadToJourney(read);
    return [];
  }
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const next = getNextFullRead(snapshot);
    if (next) {
      await withLockedState(context, (db) => saveRun(db, context.stateId, { toJourney: next }));
      progress.continueFullReadToJourney(next);
      return [];
    }
    const done = { toJourney: null, ...(snapshot.head !== null && { changeLogCursor: snapshot.head }) };
    await withLockedState(context, (db) => saveRun(db, context.stateId, done));
    progress.finishFullReadToJourney(snapshot.head);
    run.log('INFO', `Helium → Journey: full read complete, ${snapshot.count} records.`);
    return [];
  }
  const { helium, stateId } = context;
  const map = findObjectMap(context, table);
  const { afterId } = snapshot;
  const rows = map ? await helium.readRowsAfter(helium.pool, map, afterId, pageSize) : [];
  // Known records without a row are only collected until the table is read to its end.
  const known = map ? await readKnownIds(helium.pool, stateId, table, { afterId, limit: pageSize }) : [];
  // After they were read: a row that a restore took away is no deletion.
  await verifyHelium(context);
  const rowIds = rows.map(({ id }) => id);
  const { includes, lastId } = findCommonPage(rowIds, known, pageSize);
  const ids = rowIds.filter(includes);
  const presentIds = new Set(rowIds);
  const absentIds = known.filter((id) => includes(id) && !presentIds.has(id));
  const next = {
    ...snapshot,
    ...(lastId === null && { tables: others, endedTable: table }),
    afterId: lastId,
    count: snapshot.count + ids.length,
  };
  await collectAbsences(context, { side: 'helium', table }, { ids: absentIds, isFirstPage: afterId === null });
  const keys = ids.map((id) => ({ table, id }));
  const unknown = await trySend(active, { context, keys, done: { toJourney: next } }, found);
  if (unknown.length > 0) return unknown;
  progress.continueFullReadToJourney(next);
  run.publish({
    heliumSyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return [];
}
