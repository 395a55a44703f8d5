/**
 * Records one side as known, one page at a time, without writing to either side. An operator chose
 * the other side after a restore: the full read that follows makes this side equal to it.
 */
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { createFields, type Fields, getValue } from '../../../record/fields.ts';
import { saveRecords } from '../../../sync-state/records.store.ts';
import { type RunChange, type Snapshot, saveRun } from '../../../sync-state/runs.store.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { findObjectMap, pageSize, withLockedState } from '../../state/context.ts';
import { getNextFullRead } from '../../state/next-full-read.ts';

/** Returns whether there was a page. */
export async function adoptNextPage(active: ActiveRun): Promise<boolean> {
  const { fullReadToHelium, fullReadToJourney } = active.progress;
  if (fullReadToJourney?.isAdoption) await adoptRows(active, fullReadToJourney);
  else if (fullReadToHelium?.isAdoption) await adoptObjects(active, fullReadToHelium);
  else return false;
  return true;
}

async function adoptRows(active: ActiveRun, snapshot: Snapshot): Promise<void> {
  const { context, run, progress } = active;
  const { helium, stateId } = context;
  const [table] = snapshot.tables;
  if (table === undefined) {
    const toJourney = getNextFullRead(snapshot);
    await withLockedState(context, (db) => saveRun(db, stateId, { toJourney }));
    progress.planFullReads({ toHelium: progress.fullReadToHelium, toJourney });
    active.toJourney.wake();
    return;
  }
  const map = findObjectMap(context, table);
  const rows = map ? await helium.readRowsAfter(helium.pool, map, snapshot.afterId, pageSize) : [];
  const records = rows.map(({ id, fields }) => ({ key: { table, id }, journey: fields, deletedAtMs: null }));
  const toJourney = advance(snapshot, rows);
  await withLockedState(context, async (db) => {
    await saveRecords(db, stateId, records);
    await saveRun(db, stateId, { toJourney });
  });
  progress.continueFullReadToJourney(toJourney);
  run.publish({ heliumSyncStatus: describeProgress(table, toJourney) });
}

async function adoptObjects(active: ActiveRun, snapshot: Snapshot): Promise<void> {
  const { context, run, progress } = active;
  const { stateId } = context;
  const [table] = snapshot.tables;
  if (table === undefined) {
    const toHelium = getNextFullRead(snapshot);
    await withLockedState(context, (db) => saveRun(db, stateId, { toHelium }));
    progress.planFullReads({ toHelium, toJourney: progress.fullReadToJourney });
    active.toJourney.wake();
    return;
  }
  const map = findObjectMap(context, table);
  const listed = map
    ? await run.withSlot(() => context.journey.listAfter(map, snapshot.afterId, pageSize, run.signal))
    : [];
  const toHelium = advance(
    snapshot,
    listed.map(({ key }) => key),
  );
  const isComplete = toHelium.afterId === null && map?.toHelium;
  const pageEnd: RunChange = { toHelium, ...(isComplete && { completeTable: table }) };
  const columns = map?.fields.map(({ column }) => column) ?? [];
  progress.markListings();
  const records = listed.map((entry) => ({
    key: entry.key,
    journey: toCompleteFields(columns, entry),
    deletedAtMs: null,
    // The op-log is read from before the listing.
    listedAtMs: entry.changedAtMs,
  }));
  await withLockedState(context, async (db) => {
    await saveRecords(db, stateId, records);
    await saveRun(db, stateId, pageEnd);
  });
  progress.continueFullReadToHelium(toHelium);
  run.publish({ lastPingedMs: Date.now(), journeySyncStatus: describeProgress(table, toHelium) });
}

function advance(snapshot: Snapshot, page: readonly { readonly id: string }[]): Snapshot {
  const afterId = page.length < pageSize ? null : (page.at(-1)?.id ?? null);
  return {
    ...snapshot,
    tables: afterId === null ? snapshot.tables.slice(1) : snapshot.tables,
    afterId,
    count: snapshot.count + page.length,
  };
}

/**
 * Columns that an object does not report become null. A file of unknown content becomes a value
 * that no file of Helium has, so that Helium's replaces it.
 */
function toCompleteFields(columns: readonly string[], { fields, attachments = {} }: JourneyEntry): Fields {
  const complete = createFields();
  for (const column of columns) {
    const isUnknownFile = Object.hasOwn(attachments, column) && !Object.hasOwn(fields ?? {}, column);
    complete[column] = isUnknownFile ? `journey:${attachments[column]?.id}` : getValue(fields, column);
  }
  return complete;
}

function describeProgress(table: string, { count }: Snapshot): string {
  return `Recording what is known: ${table}, ${count.toLocaleString('en')} records so far`;
}
