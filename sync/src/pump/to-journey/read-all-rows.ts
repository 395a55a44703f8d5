/** Helium → Journey: reads all rows of the tables that need a full read, one page at a time. */
import { readKnownIds } from '../../sync-state/records.store.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { collectAbsences, settleAbsences } from '../shared/settle-absences.ts';
import { findObjectMap, pageSize, withLockedState } from '../shared/sync-context.ts';
import { sendAndReport } from './send-and-report.ts';
import { planAndSendPage } from './send-page.ts';

/** Reads and sends one page. Returns whether there is more to do at once. */
export async function readAllRows(active: ActiveRun, snapshot: Snapshot): Promise<boolean> {
  const { context, run, progress } = active;
  const { endedTable, ...read } = snapshot;
  if (endedTable !== undefined) {
    await settleAbsences(active, { side: 'helium', table: endedTable }, snapshot);
    await withLockedState(context, (db) => saveRun(db, context.stateId, { toJourney: read }));
    progress.continueFullReadToJourney(read);
    return true;
  }
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const done = { toJourney: null, ...(snapshot.head !== null && { changeLogCursor: snapshot.head }) };
    await withLockedState(context, (db) => saveRun(db, context.stateId, done));
    progress.finishFullReadToJourney(snapshot.head);
    run.log('INFO', `Helium → Journey: full read complete, ${snapshot.count} records.`);
    return true;
  }
  const { helium, stateId } = context;
  const map = findObjectMap(context, table);
  const { afterId } = snapshot;
  const rows = map ? await helium.readRowsAfter(helium.pool, map, afterId, pageSize) : [];
  // Known records without a row are only collected until the table is read to its end.
  const known = map ? await readKnownIds(helium.pool, stateId, table, { afterId, limit: pageSize }) : [];
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
  await sendAndReport(active, () => planAndSendPage(context, keys, { toJourney: next }));
  progress.continueFullReadToJourney(next);
  run.publish({
    heliumSyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}
