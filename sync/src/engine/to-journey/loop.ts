/**
 * Runs Helium → Journey as long as the integration runs: dirty records first, then waiting records
 * that are due, then full reads, then the change log.
 */
import { readDirty } from '../../sync-state/dirty-records.store.ts';
import { readDueWaiting, readNextDueMs } from '../../sync-state/held-records.store.ts';
import { compareRewritten } from '../missing/rewritten-tables.ts';
import { ColumnsAdded, checkHelium, TablesRewritten } from '../restore/notice/check-helium.ts';
import type { RunWith } from '../run/parts.ts';
import { reportFailure } from '../run/report/report-failure.ts';
import { pageSize } from '../state/context.ts';
import type { Run } from '../state/run.ts';
import { sendPage } from './page.ts';
import type { KeyToPlan } from './planner/plan-record.ts';
import { readAllRows } from './reader/read-all-rows.ts';
import { ChangeLogPages } from './reader.ts';

/**
 * How long the loop sleeps unless it is woken: each round without work multiplies the time. All
 * that gives it work wakes it, so the rounds at the end of a sleep are only a precaution.
 */
const restMs = { first: 5_000, factor: 4, max: 900_000 };

export async function runToJourneyLoop(
  run: RunWith<
    | 'catalogCheck'
    | 'echoes'
    | 'heliumCheck'
    | 'lookUps'
    | 'loops'
    | 'mapping'
    | 'progress'
    | 'readAgain'
    | 'retries'
    | 'tally'
    | 'timing'
  >,
): Promise<void> {
  const { signal } = run;
  const { toJourney: retryPolicy, toHelium: otherDirection } = run.retries;
  const pages = new ChangeLogPages(run);
  let nextRestMs = restMs.first;
  let rewritten: TablesRewritten | null = null;
  while (!signal.aborted) {
    try {
      if (rewritten) await compareRewritten(run, rewritten);
      rewritten = null;
      if (run.echoes.mustReadFirst) {
        run.loops.wake('op-log awaited');
        await run.loops.sleep('to-journey', restMs.first, signal);
        continue;
      }
      const hasMore = await step(run, pages);
      retryPolicy.throwFailure();
      retryPolicy.recordSuccess(otherDirection);
      nextRestMs = hasMore ? restMs.first : Math.min(nextRestMs * restMs.factor, restMs.max);
      if (hasMore) continue;
      // Each page is checked, too.
      if (run.heliumCheck.isDue) await run.heliumCheck.run(() => checkHelium(run.context));
      await run.loops.sleep('to-journey', Math.min(nextRestMs, await readDueMs(run)), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TablesRewritten) {
        rewritten = error;
        continue;
      }
      if (error instanceof ColumnsAdded) {
        // The other loop follows them, and wakes this one.
        run.catalogCheck.request();
        run.loops.wake('columns added');
        await run.loops.sleep('to-journey', restMs.first, signal);
        continue;
      }
      const waitMs = retryPolicy.nextDelayMs(error);
      await reportFailure(run, 'toJourney', error, waitMs);
      await retryPolicy.wait(waitMs, signal);
    }
  }
  await pages.discard().catch(() => undefined);
}

/** Returns whether there is more to do at once. */
async function step(
  run: RunWith<'echoes' | 'lookUps' | 'loops' | 'mapping' | 'progress' | 'retries' | 'tally' | 'timing'>,
  pages: ChangeLogPages,
): Promise<boolean> {
  const { progress } = run;
  // The other loop takes the baseline, and wakes this one.
  if (progress.isTakingBaseline) return false;
  const isReadingObjects = progress.fullReadToHelium !== null && run.context.isFromJourney;
  // A full read comes before pages that were planned ahead of it.
  if (progress.fullReadToJourney || isReadingObjects) await pages.discard();
  if (pages.isPlanned) return pages.sendNext();
  const { context } = run;
  const dirty = await readDirty(context.helium.pool, context.stateId, pageSize);
  if (dirty.length > 0) {
    await sendPage(run, { context, keys: dirty, done: { dirty } });
    return true;
  }
  const waiting = await readWaiting(run);
  if (waiting.length > 0) {
    await sendPage(run, { context, keys: waiting, done: {} });
    return true;
  }
  // Journey is read first, so that records on both sides are merged instead of overwritten.
  if (progress.fullReadToHelium && run.context.isFromJourney) return false;
  if (progress.fullReadToJourney) {
    await readAllRows(run);
    return true;
  }
  return pages.sendNext();
}

function getTables({ context }: Run): string[] {
  return context.mapping.objects.filter(({ toJourney }) => toJourney).map(({ table }) => table);
}

/** Returns the waiting records to retry now. */
async function readWaiting(run: RunWith<'retries' | 'tally'>): Promise<KeyToPlan[]> {
  const { context, tally, retries } = run;
  if (!tally.hasHeld) return [];
  const options = { tables: getTables(run), limit: pageSize, all: retries.toJourney.takeEarlyRetry() };
  const due = await readDueWaiting(context.helium.pool, context.stateId, options);
  return due.map((key) => ({ ...key, isWaiting: true }));
}

/** Returns in how many milliseconds the first waiting record is due; Infinity when none waits. */
async function readDueMs(run: RunWith<'progress' | 'tally'>): Promise<number> {
  const { context, tally, progress } = run;
  if (!tally.hasHeld || progress.isTakingBaseline) return Number.POSITIVE_INFINITY;
  const dueMs = await readNextDueMs(context.helium.pool, context.stateId, getTables(run));
  return dueMs === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil(dueMs));
}
