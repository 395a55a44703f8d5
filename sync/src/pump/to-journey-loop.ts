/** Helium → Journey, as long as the integration runs: what is dirty, what is to be read whole, then the change log. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordKey } from '../engine/record-key.ts';
import { explainHolder } from '../helium/explain-holder.ts';
import type { HorizonHolder } from '../helium/helium-end.ts';
import type { Run } from '../integrations/run.ts';
import { readDirty } from '../state/dirty-store.ts';
import { readKnownIds } from '../state/record-store.ts';
import { saveRun } from '../state/run-store.ts';
import { type Carried, carryToJourney, type Done } from './carry-to-journey.ts';
import type { IntegrationRun } from './integration-run.ts';
import { pageOfBoth } from './page-of-both.ts';
import { Patience } from './patience.ts';
import { Halt, inState, mapOf, PAGE } from './pump.ts';

/** Looked at this often even when nobody has told of anything. */
const AT_LEAST_EVERY_MS = 5_000;

export async function runToJourney(on: IntegrationRun): Promise<void> {
  const { signal } = on.run;
  const patience = new Patience(on.timing.retry);
  while (!signal.aborted) {
    try {
      const hasMore = await step(on);
      patience.succeeded();
      if (!hasMore) await on.toJourney.sleep(AT_LEAST_EVERY_MS, signal);
    } catch (problem) {
      if (signal.aborted) return;
      const waitMs = patience.failed(problem);
      tellTrouble(on, problem, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function tellTrouble({ run }: IntegrationRun, problem: unknown, waitMs: number): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  run.log('WARNING', `Helium → Journey: ${message} Tried again in ${Math.ceil(waitMs / 1000)} s.`);
  run.publish({ heliumSyncStatus: `Waiting: ${message}` });
}

/** Answers whether there is more to do at once. */
async function step(on: IntegrationRun): Promise<boolean> {
  if (on.mustReadFirst) {
    on.toHelium.ring();
    return false;
  }
  const { helium, run: no } = on.pump;
  const dirty = await readDirty(helium.pool, no, PAGE);
  if (dirty.length > 0) {
    await carry(on, dirty, { dirty });
    return true;
  }
  // First everything Journey has, so that what both have is merged and not written over.
  if (on.at.toHelium && on.isFromJourney) return false;
  if (on.at.toJourney) return on.planning(async () => on.at.toJourney === null || readWhole(on, on.at.toJourney));
  return readChanges(on);
}

async function readChanges(on: IntegrationRun): Promise<boolean> {
  const { run } = on;
  const cursor = on.at.changeLogCursor;
  const page = await on.pump.helium.readChangeLog({ cursor, limit: PAGE, signal: run.signal, onHeld: tellHolder(run) });
  if (page.historyLost) {
    throw new Halt(
      `Helium's change log ends before entry ${cursor}, which was read already: its database, or a part of it, was restored. Continue from version 0 to read everything anew.`,
      `change log ${cursor}`,
    );
  }
  if (page.keys.length > 0) {
    on.waitingSinceMs ??= Date.now();
    run.publish({ heliumToJourneyWaitingSinceMs: on.waitingSinceMs });
    await carry(on, page.keys, { changeLogCursor: page.cursor });
  } else if (page.cursor !== cursor) {
    await inState(on.pump, (db) => saveRun(db, on.pump.run, { changeLogCursor: page.cursor }));
  }
  on.at = { ...on.at, changeLogCursor: page.cursor };
  if (page.isLast) {
    on.waitingSinceMs = null;
    run.publish({ changeLogVersion: page.cursor, heliumToJourneyWaitingSinceMs: null, heliumSyncStatus: 'Live' });
  } else {
    run.publish({ changeLogVersion: page.cursor, heliumSyncStatus: 'Catching up' });
  }
  return !page.isLast || page.keys.length > 0;
}

/** Shows who keeps the change log from being read further. */
export function tellHolder(run: Pick<Run, 'publish'>): (holder: HorizonHolder | null) => void {
  return (holder) => {
    const horizonHeldBy = holder && explainHolder(holder, Date.now());
    run.publish({ horizonHeldBy, ...(holder && { heliumToJourneyWaitingSinceMs: Date.parse(holder.since) }) });
  };
}

async function readWhole(
  on: IntegrationRun,
  snapshot: NonNullable<IntegrationRun['at']['toJourney']>,
): Promise<boolean> {
  const [table, ...others] = snapshot.tables;
  const { helium } = on.pump;
  if (table === undefined) {
    const done = { toJourney: null, ...(snapshot.head !== null && { changeLogCursor: snapshot.head }) };
    await inState(on.pump, (db) => saveRun(db, on.pump.run, done));
    on.at = { ...on.at, toJourney: null, changeLogCursor: snapshot.head ?? on.at.changeLogCursor };
    on.run.log('INFO', `Helium → Journey: everything is read, ${snapshot.count} records.`);
    return true;
  }
  const map = mapOf(on.pump, table);
  const { afterId } = snapshot;
  const rows = map ? await helium.readRowsAfter(helium.pool, map, afterId, PAGE) : [];
  // Whose row is gone is looked at too: the log may have told it while the object stood still.
  const known = map ? await readKnownIds(helium.pool, on.pump.run, table, { afterId, limit: PAGE }) : [];
  const there = rows.map(({ id }) => id);
  const { includes, lastId } = pageOfBoth(there, known, PAGE);
  const ids = [...new Set([...there, ...known])].filter(includes);
  const next = {
    ...snapshot,
    tables: lastId === null ? others : snapshot.tables,
    afterId: lastId,
    count: snapshot.count + ids.length,
  };
  await carry(
    on,
    ids.map((id) => ({ table, id })),
    { toJourney: next },
  );
  on.at = { ...on.at, toJourney: next };
  on.run.publish({
    heliumSyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}

async function carry(on: IntegrationRun, keys: readonly RecordKey[], done: Done): Promise<Carried> {
  const carried = await on.run
    .slot(() => carryToJourney(on.pump, keys, done))
    .catch((problem: unknown) => {
      on.mustReadFirst = on.isFromJourney;
      throw problem;
    });
  on.acknowledged = Math.max(on.acknowledged, carried.acknowledged);
  if (carried.refused > 0 || carried.hadHeld) {
    on.countsMayDiffer = true;
    on.toHelium.ring();
  }
  if (carried.sent > 0) {
    on.run.publish({ heliumLastUpdatedMs: Date.now(), lastPingedMs: Date.now() });
    on.run.log('INFO', `Helium → Journey: ${count(carried.sent, 'record')} sent${refusals(carried.refused)}.`);
  }
  // Their echoes are there already.
  if (carried.sent + carried.refused > 0) {
    on.hasUnsettled = true;
    on.toHelium.ring();
  }
  return carried;
}

function refusals(refused: number): string {
  return refused === 0 ? '' : `, ${refused} refused`;
}

export function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
