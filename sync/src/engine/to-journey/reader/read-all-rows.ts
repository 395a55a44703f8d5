/** Helium → Journey: reads all rows of the tables that need a full read, one page at a time. */
import { KeyMap } from '../../../record/record-key.ts';
import { takeClearings } from '../../../sync-state/clearings.store.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import { readKnownIds } from '../../../sync-state/records.store.ts';
import { type Snapshot, saveRun } from '../../../sync-state/runs.store.ts';
import { collectAbsences, settleAbsences } from '../../missing/absences.ts';
import { findLost } from '../../missing/cleared-in-helium.ts';
import { collectClearings, settleClearings } from '../../missing/clearings.ts';
import { findCommonPage } from '../../missing/common-page.ts';
import { listUnlogged } from '../../missing/list-unlogged.ts';
import { verifyHelium } from '../../restore/notice/check-helium.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { findObjectMap, pageSize, withLockedState } from '../../state/context.ts';
import type { FoundRecord, UnknownRecord } from '../../state/look-ups.ts';
import { getNextFullRead } from '../../state/next-full-read.ts';
import { lookUp } from '../planner/look-up.ts';
import { trySend } from '../sender/plan-and-send.ts';

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

/** Entries of the change log after this one are read once the full read is complete. */
function getLogEntry({ progress }: ActiveRun, { head }: Snapshot): string {
  return head ?? progress.changeLogCursor;
}

/**
 * Decides about the values that Helium has lost, once their table was read to its end. Throws
 * HaltError once an operator has to be asked.
 */
async function settleLost(active: ActiveRun, table: string, snapshot: Snapshot): Promise<void> {
  const { context } = active;
  await settleClearings(
    context,
    { side: 'helium', table },
    {
      ...(snapshot.absent && { absent: snapshot.absent }),
      onFew: async (db, _, scope) => {
        const keys = (await takeClearings(db, scope)).map((id) => ({ table, id }));
        await listUnlogged(context, db, keys, getLogEntry(active, snapshot));
        await markDirty(db, context.stateId, keys);
      },
    },
  );
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
    await settleLost(active, endedTable, snapshot);
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
  const included = rows.filter(({ id }) => includes(id));
  const lost = map && known.length > 0 ? await findLost(context, map, included, getLogEntry(active, snapshot)) : [];
  await collectClearings(context, { side: 'helium', table }, { values: lost, isFirstPage: afterId === null });
  const lostIds = new Set(lost.map(({ id }) => id));
  const keys = ids.filter((id) => !lostIds.has(id)).map((id) => ({ table, id }));
  const unknown = await trySend(active, { context, keys, done: { toJourney: next } }, found);
  if (unknown.length > 0) return unknown;
  progress.continueFullReadToJourney(next);
  run.publish({
    heliumSyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return [];
}
