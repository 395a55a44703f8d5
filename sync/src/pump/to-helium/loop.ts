/** Journey → Helium, as long as the integration runs: what is to be read whole, what waits, then the op-log. */
import { setTimeout as pause } from 'node:timers/promises';
import { DataModelChanged } from '../../journey/stale-mapping.ts';
import { readCounts } from '../../sync-state/counts.store.ts';
import { settleIntents } from '../../sync-state/intents.store.ts';
import { forgetListings } from '../../sync-state/records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { Halt } from '../shared/halt.ts';
import { Patience } from '../shared/retry-policy.ts';
import { inState } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import { OpLogPages } from './op-log-pages.ts';
import { readObjectsWhole } from './read-all-objects.ts';
import { lookAgain } from './refresh-record.ts';
import { retryHeld } from './retry-due-records.ts';

/** For so long after something came, an op-log is asked as often as Journey allows; then in turns with the others that are quiet. */
const livelyMs = 60_000;
const forgottenAtOnce = 10_000;
/**
 * An answer may be one of a moment ago, from a cache or a replica that lags: what it does not say may have happened all
 * the same. Only when so many in a row say that there is no more, is it believed.
 */
const endsBelieved = 5;

export async function runToHelium(active: ActiveRun): Promise<void> {
  const { signal } = active.run;
  const patience = new Patience(active.timing.retry);
  const pace = { newsMs: 0, lastPollMs: 0 };
  const pages = new OpLogPages(active);
  while (!signal.aborted) {
    try {
      const hasMore = await step(active, pace, pages);
      patience.succeeded();
      if (hasMore) pace.newsMs = Date.now();
      if (!hasMore) await restUntilNextPoll(active, pace);
    } catch (error) {
      if (signal.aborted) return;
      // While everything is read, nobody else notices.
      if (error instanceof DataModelChanged) await active.followModel(error.hash);
      const waitMs = patience.failed(error);
      tellTrouble(active, error, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

interface Pace {
  /** When something came last; 0: not since the run began. */
  newsMs: number;
  lastPollMs: number;
}

async function restUntilNextPoll(active: ActiveRun, pace: Pace): Promise<void> {
  const { pollMs } = active.timing;
  const isLively = Date.now() - pace.newsMs < livelyMs;
  await active.toHelium.sleep(Math.max(pollMs, isLively ? 0 : active.takeQuietTurn()), active.run.signal);
  const sinceMs = Date.now() - pace.lastPollMs;
  if (sinceMs < pollMs) await pause(pollMs - sinceMs, undefined, { signal: active.run.signal }).catch(() => undefined);
}

function tellTrouble({ run }: ActiveRun, problem: unknown, waitMs: number): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  run.log('WARNING', `Journey → Helium: ${message} Tried again in ${Math.ceil(waitMs / 1000)} s.`);
  run.publish({ journeySyncStatus: `Waiting: ${message}` });
}

/** Answers whether there is more to do at once. */
async function step(active: ActiveRun, pace: Pace, pages: OpLogPages): Promise<boolean> {
  await tellCounts(active);
  if (!active.isFromJourney) {
    pace.lastPollMs = Date.now();
    await followModelOnly(active);
    return false;
  }
  if (active.at.toHelium) return readObjectsWhole(active, active.at.toHelium);
  const [first] = active.toLookAt;
  if (first) {
    if (await lookAgain(active, first)) active.toLookAt.shift();
    return true;
  }
  if (active.hasHeld && (await retryHeld(active))) return true;
  pace.lastPollMs = Date.now();
  return readEntries(active, pages);
}

/** Nothing comes from there: all that counts is whether it answers, and in which data model. */
async function followModelOnly(active: ActiveRun): Promise<void> {
  const { hash } = await active.run.slot(() => active.context.journey.readModels(active.run.signal));
  active.run.publish({ lastPingedMs: Date.now() });
  active.run.publish({ journeySyncStatus: 'Off' });
  await active.followModel(hash);
}

async function readEntries(active: ActiveRun, pages: OpLogPages): Promise<boolean> {
  const { run } = active;
  const { page, cursor, acknowledged, mustReadFirst } = await pages.read();
  run.publish({ lastPingedMs: Date.now() });
  if (page.historyLost) {
    throw new Halt(
      `Journey's op-log no longer holds entry ${cursor}: it is shorter than the integration was away. Continue from version 0 to read everything anew.`,
    );
  }
  await active.followModel(page.dataModelHash);
  const hasNews = page.entries.length > 0 || page.cursor !== cursor;
  const applied = hasNews
    ? await applyEntries(active, page.entries, { readBehind: cursor, opLogCursor: page.cursor })
    : { written: 0 };
  if (applied === 'read-again') return true;
  active.at = { ...active.at, opLogCursor: page.cursor };
  if (page.isLast) {
    if (active.hasListings) await forgetAll(active);
    await settle(active, acknowledged);
    // Nothing was sent since it was asked for.
    if (mustReadFirst) {
      active.mustReadFirst = false;
      active.toJourney.ring();
    }
  }
  run.publish({
    oplogVersion: page.cursor,
    journeySyncStatus: page.isLast ? 'Live' : 'Catching up',
    journeyToHeliumWaitingSinceMs: page.isLast ? null : (page.entries[0]?.changedAtMs ?? null),
  });
  return !page.isLast || applied.written > 0;
}

/** What Journey had acknowledged when the first of so many answers was asked for has come back, or changed nothing. */
async function settle(active: ActiveRun, acknowledged: number): Promise<void> {
  if (!active.hasUnsettled) return;
  const { upTo, ends } = active.settling ?? { upTo: acknowledged, ends: 0 };
  active.settling = { upTo, ends: ends + 1 };
  if (active.settling.ends < endsBelieved) return;
  active.settling = null;
  active.hasUnsettled = active.acknowledged > upTo;
  await inState(active.context, (db) => settleIntents(db, active.context.stateId, upTo));
  active.toJourney.ring();
}

async function forgetAll(active: ActiveRun): Promise<void> {
  let forgotten: number;
  do {
    // A comparison may list more meanwhile.
    active.hasListings = false;
    forgotten = await inState(active.context, (db) =>
      forgetListings(db, active.context.stateId, forgottenAtOnce),
    ).catch((error) => {
      active.hasListings = true;
      throw error;
    });
  } while (forgotten === forgottenAtOnce);
}

async function tellCounts(active: ActiveRun): Promise<void> {
  if (!active.countsMayDiffer) return;
  active.countsMayDiffer = false;
  const counts = await readCounts(active.context.helium.pool, active.context.stateId);
  active.hasHeld = counts.deadLetters + counts.parked > 0;
  active.run.publish(counts);
}
