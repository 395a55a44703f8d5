/** Helium → Journey, as long as the integration runs: what is dirty, what is to be read whole, then the change log. */
import { setTimeout as pause } from 'node:timers/promises';
import { readDirty } from '../../sync-state/dirty-records.store.ts';
import { readKnownIds } from '../../sync-state/records.store.ts';
import { saveRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { RetryPolicy } from '../shared/retry-policy.ts';
import { inState, mapOf, pageSize } from '../shared/sync-context.ts';
import { ChangeLogPages } from './change-log-pages.ts';
import { sendAndReport } from './send-and-report.ts';
import { planAndSendPage } from './send-page.ts';

/** Looked at even when nobody has told of anything: that often at first, then, while there is nothing, ever more seldom. */
const lookMs = { first: 5_000, most: 40_000 };

export async function runToJourneyLoop(active: ActiveRun): Promise<void> {
  const { signal } = active.run;
  const retryPolicy = new RetryPolicy(active.timing.retry);
  const pages = new ChangeLogPages(active);
  let restMs = lookMs.first;
  while (!signal.aborted) {
    try {
      const hasMore = await step(active, pages);
      retryPolicy.succeeded();
      restMs = hasMore ? lookMs.first : Math.min(restMs * 2, lookMs.most);
      if (!hasMore) await active.toJourney.sleep(restMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = retryPolicy.failed(error);
      tellTrouble(active, error, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  await pages.forget().catch(() => undefined);
}

function tellTrouble({ run }: ActiveRun, problem: unknown, waitMs: number): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  run.log('WARNING', `Helium → Journey: ${message} Tried again in ${Math.ceil(waitMs / 1000)} s.`);
  run.publish({ heliumSyncStatus: `Waiting: ${message}` });
}

/** Answers whether there is more to do at once. */
async function step(active: ActiveRun, pages: ChangeLogPages): Promise<boolean> {
  if (active.mustReadFirst) {
    active.toHelium.wake();
    return false;
  }
  // What is to be read whole comes before what was planned ahead of it.
  if (active.at.toJourney || (active.at.toHelium && active.isFromJourney)) await pages.forget();
  if (pages.isPlanned) return pages.carryNext();
  const { context } = active;
  const dirty = await readDirty(context.helium.pool, context.stateId, pageSize);
  if (dirty.length > 0) {
    await sendAndReport(active, () => planAndSendPage(context, dirty, { dirty }));
    return true;
  }
  // First everything Journey has, so that what both have is merged and not written over.
  if (active.at.toHelium && active.isFromJourney) return false;
  if (active.at.toJourney)
    return active.planning(async () => active.at.toJourney === null || readWhole(active, active.at.toJourney));
  return pages.carryNext();
}

async function readWhole(active: ActiveRun, snapshot: NonNullable<ActiveRun['at']['toJourney']>): Promise<boolean> {
  const [table, ...others] = snapshot.tables;
  const { helium } = active.context;
  if (table === undefined) {
    const done = { toJourney: null, ...(snapshot.head !== null && { changeLogCursor: snapshot.head }) };
    await inState(active.context, (db) => saveRun(db, active.context.stateId, done));
    active.at = { ...active.at, toJourney: null, changeLogCursor: snapshot.head ?? active.at.changeLogCursor };
    active.run.log('INFO', `Helium → Journey: everything is read, ${snapshot.count} records.`);
    return true;
  }
  const map = mapOf(active.context, table);
  const { afterId } = snapshot;
  const rows = map ? await helium.readRowsAfter(helium.pool, map, afterId, pageSize) : [];
  // Whose row is gone is looked at too: the log may have told it while the object stood still.
  const known = map ? await readKnownIds(helium.pool, active.context.stateId, table, { afterId, limit: pageSize }) : [];
  const there = rows.map(({ id }) => id);
  const { includes, lastId } = findCommonPage(there, known, pageSize);
  const ids = [...new Set([...there, ...known])].filter(includes);
  const next = {
    ...snapshot,
    tables: lastId === null ? others : snapshot.tables,
    afterId: lastId,
    count: snapshot.count + ids.length,
  };
  const keys = ids.map((id) => ({ table, id }));
  const { context } = active;
  await sendAndReport(active, () => planAndSendPage(context, keys, { toJourney: next }));
  active.at = { ...active.at, toJourney: next };
  active.run.publish({
    heliumSyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}
