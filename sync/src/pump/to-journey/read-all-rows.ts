/** Helium → Journey: reads all rows of the tables that need a full read, one page at a time. */
import { readKnownIds } from '../../sync-state/records.store.ts';
import { forgetRecords } from '../../sync-state/recovery.store.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { getNextFullRead } from '../shared/next-full-read.ts';
import { findObjectMap, pageSize, withLockedState } from '../shared/sync-context.ts';
import { sendAndReport } from './send-and-report.ts';
import { planAndSendPage } from './send-page.ts';

/** Reads and sends one page. Returns whether there is more to do at once. */
export async function readAllRows(active: ActiveRun, snapshot: Snapshot): Promise<boolean> {
  const { context, run, progress } = active;
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const next = getNextFullRead(snapshot);
    if (next) {
      await withLockedState(context, (db) => saveRun(db, context.stateId, { toJourney: next }));
      progress.continueFullReadToJourney(next);
      return true;
    }
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
  // Includes known records without a row: the log may have reported their deletion while the table
  // was suspended.
  const known = map ? await readKnownIds(helium.pool, stateId, table, { afterId, limit: pageSize }) : [];
  const rowIds = rows.map(({ id }) => id);
  const { includes, lastId } = findCommonPage(rowIds, known, pageSize);
  const present = new Set(rowIds);
  const absent = snapshot.absent === 'keep' ? known.filter((id) => includes(id) && !present.has(id)) : [];
  if (absent.length > 0) await restoreFromJourney(active, table, absent);
  const ids = [...new Set([...rowIds, ...known])].filter((id) => includes(id) && !absent.includes(id));
  const next = {
    ...snapshot,
    tables: lastId === null ? others : snapshot.tables,
    afterId: lastId,
    count: snapshot.count + ids.length,
  };
  const keys = ids.map((id) => ({ table, id }));
  await sendAndReport(active, () => planAndSendPage(context, keys, { toJourney: next }));
  progress.continueFullReadToJourney(next);
  run.publish({
    heliumSyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}

/** Forgets records without a row, so that they come back from Journey. */
async function restoreFromJourney(active: ActiveRun, table: string, ids: readonly string[]): Promise<void> {
  const { context, run, refreshQueue, toHelium } = active;
  const keys = ids.map((id) => ({ table, id }));
  await withLockedState(context, (db) => forgetRecords(db, context.stateId, keys));
  if (!active.isFromJourney) return;
  refreshQueue.add(keys, run.signal).catch(() => undefined);
  toHelium.wake();
}
