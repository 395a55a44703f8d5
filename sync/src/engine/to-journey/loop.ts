/**
 * Runs Helium → Journey as long as the integration runs: dirty records first, then waiting records
 * that are due, then full reads, then the change log.
 */
import { readDirty } from '../../sync-state/dirty-records.store.ts';
import { readDueWaiting, readNextDueMs } from '../../sync-state/held-records.store.ts';
import { settleRewritten } from '../missing/rewritten-tables.ts';
import { ColumnsAdded, TablesRewritten, verifyHelium } from '../restore/notice/check-helium.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { reportFailure } from '../run/report/report-failure.ts';
import { pageSize } from '../state/context.ts';
import type { KeyToPlan } from './planner/plan-record.ts';
import { readAllRows } from './reader/read-all-rows.ts';
import { ChangeLogPages } from './reader.ts';
import { planAndSend } from './sender/plan-and-send.ts';

/**
 * How long the loop sleeps unless it is woken: each round without work multiplies the time. All
 * that gives it work wakes it, so the rounds at the end of a sleep are only a precaution.
 */
const restMs = { first: 5_000, factor: 4, max: 900_000 };

export async function runToJourneyLoop(active: ActiveRun): Promise<void> {
  const { signal } = active.run;
  const { toJourney: retryPolicy, toHelium: otherDirection } = active.retries;
  const pages = new ChangeLogPages(active);
  let nextRestMs = restMs.first;
  let rewritten: TablesRewritten | null = null;
  while (!signal.aborted) {
    try {
      if (rewritten) await settleRewritten(active, rewritten);
      rewritten = null;
      if (active.echoes.mustReadFirst) {
        active.toHelium.wake();
        await active.toJourney.sleep(restMs.first, signal);
        continue;
      }
      const hasMore = await step(active, pages);
      retryPolicy.throwFailure();
      retryPolicy.recordSuccess(otherDirection);
      nextRestMs = hasMore ? restMs.first : Math.min(nextRestMs * restMs.factor, restMs.max);
      if (hasMore) continue;
      // Each page is verified, too.
      if (active.heliumCheck.isDue) await active.heliumCheck.run(() => verifyHelium(active.context));
      await active.toJourney.sleep(Math.min(nextRestMs, await readDueMs(active)), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TablesRewritten) {
        rewritten = error;
        continue;
      }
      if (error instanceof ColumnsAdded) {
        // The other loop follows them, and wakes this one.
        active.catalogCheck.request();
        active.toHelium.wake();
        await active.toJourney.sleep(restMs.first, signal);
        continue;
      }
      const waitMs = retryPolicy.nextDelayMs(error);
      await reportFailure(active, 'toJourney', error, waitMs);
      await retryPolicy.wait(waitMs, signal);
    }
  }
  await pages.discard().catch(() => undefined);
}

/** Returns whether there is more to do at once. */
async function step(active: ActiveRun, pages: ChangeLogPages): Promise<boolean> {
  const { progress } = active;
  // The other loop adopts, and wakes this one.
  if (progress.isAdopting) return false;
  const isReadingObjects = progress.fullReadToHelium !== null && active.isFromJourney;
  // A full read comes before pages that were planned ahead of it.
  if (progress.fullReadToJourney || isReadingObjects) await pages.discard();
  if (pages.isPlanned) return pages.sendNext();
  const { context } = active;
  const dirty = await readDirty(context.helium.pool, context.stateId, pageSize);
  if (dirty.length > 0) {
    await planAndSend(active, { context, keys: dirty, done: { dirty } });
    return true;
  }
  const waiting = await readWaiting(active);
  if (waiting.length > 0) {
    await planAndSend(active, { context, keys: waiting, done: {} });
    return true;
  }
  // Journey is read first, so that records on both sides are merged instead of overwritten.
  if (progress.fullReadToHelium && active.isFromJourney) return false;
  if (progress.fullReadToJourney) {
    await readAllRows(active);
    return true;
  }
  return pages.sendNext();
}

function getTables({ context }: ActiveRun): string[] {
  return context.mapping.objects.filter(({ toJourney }) => toJourney).map(({ table }) => table);
}

/** Returns the waiting records to retry now. */
async function readWaiting(active: ActiveRun): Promise<KeyToPlan[]> {
  const { context, tally, retries } = active;
  if (!tally.hasHeld) return [];
  const options = { tables: getTables(active), limit: pageSize, all: retries.toJourney.takeEarlyRetry() };
  const due = await readDueWaiting(context.helium.pool, context.stateId, options);
  return due.map((key) => ({ ...key, isWaiting: true }));
}

/** Returns in how many milliseconds the first waiting record is due; Infinity when none waits. */
async function readDueMs(active: ActiveRun): Promise<number> {
  const { context, tally, progress } = active;
  if (!tally.hasHeld || progress.isAdopting) return Number.POSITIVE_INFINITY;
  const dueMs = await readNextDueMs(context.helium.pool, context.stateId, getTables(active));
  return dueMs === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil(dueMs));
}
