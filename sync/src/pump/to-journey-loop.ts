/** Helium → Journey, as long as the integration runs: what is dirty, what is to be read whole, then the change log. */
import { setTimeout as pause } from 'node:timers/promises';
import { readDirty } from '../state/dirty-store.ts';
import { readKnownIds } from '../state/record-store.ts';
import { saveRun } from '../state/run-store.ts';
import { carryToJourney } from './carry-to-journey.ts';
import { ChangePages } from './change-pages.ts';
import type { IntegrationRun } from './integration-run.ts';
import { pageOfBoth } from './page-of-both.ts';
import { Patience } from './patience.ts';
import { inState, mapOf, PAGE } from './pump.ts';
import { carryAndTell } from './tell-carried.ts';

/** Looked at even when nobody has told of anything: that often at first, then, while there is nothing, ever more seldom. */
const LOOK_MS = { first: 5_000, most: 40_000 };

export async function runToJourney(on: IntegrationRun): Promise<void> {
  const { signal } = on.run;
  const patience = new Patience(on.timing.retry);
  const pages = new ChangePages(on);
  let restMs = LOOK_MS.first;
  while (!signal.aborted) {
    try {
      const hasMore = await step(on, pages);
      patience.succeeded();
      restMs = hasMore ? LOOK_MS.first : Math.min(restMs * 2, LOOK_MS.most);
      if (!hasMore) await on.toJourney.sleep(restMs, signal);
    } catch (problem) {
      if (signal.aborted) return;
      const waitMs = patience.failed(problem);
      tellTrouble(on, problem, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  await pages.forget().catch(() => undefined);
}

function tellTrouble({ run }: IntegrationRun, problem: unknown, waitMs: number): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  run.log('WARNING', `Helium → Journey: ${message} Tried again in ${Math.ceil(waitMs / 1000)} s.`);
  run.publish({ heliumSyncStatus: `Waiting: ${message}` });
}

/** Answers whether there is more to do at once. */
async function step(on: IntegrationRun, pages: ChangePages): Promise<boolean> {
  if (on.mustReadFirst) {
    on.toHelium.ring();
    return false;
  }
  // What is to be read whole comes before what was planned ahead of it.
  if (on.at.toJourney || (on.at.toHelium && on.isFromJourney)) await pages.forget();
  if (pages.isPlanned) return pages.carryNext();
  const { pump } = on;
  const dirty = await readDirty(pump.helium.pool, pump.run, PAGE);
  if (dirty.length > 0) {
    await carryAndTell(on, () => carryToJourney(pump, dirty, { dirty }));
    return true;
  }
  // First everything Journey has, so that what both have is merged and not written over.
  if (on.at.toHelium && on.isFromJourney) return false;
  if (on.at.toJourney) return on.planning(async () => on.at.toJourney === null || readWhole(on, on.at.toJourney));
  return pages.carryNext();
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
  const keys = ids.map((id) => ({ table, id }));
  const { pump } = on;
  await carryAndTell(on, () => carryToJourney(pump, keys, { toJourney: next }));
  on.at = { ...on.at, toJourney: next };
  on.run.publish({
    heliumSyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}
