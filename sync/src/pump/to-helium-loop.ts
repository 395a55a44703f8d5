/** Journey → Helium, as long as the integration runs: what is to be read whole, what waits, then the op-log. */
import { setTimeout as pause } from 'node:timers/promises';
import { DataModelChanged } from '../journey/stale-mapping.ts';
import { forgetAttachments } from '../state/attachment-store.ts';
import { readCounts } from '../state/count-store.ts';
import { settleIntents } from '../state/intent-store.ts';
import { forgetListings } from '../state/record-store.ts';
import { carryEntries } from './carry-entries.ts';
import { BytesNeeded } from './carry-to-helium.ts';
import type { IntegrationRun } from './integration-run.ts';
import { lookAgain } from './look-again.ts';
import { OpLogPages } from './op-log-pages.ts';
import { Patience } from './patience.ts';
import { Halt, inState } from './pump.ts';
import { readObjectsWhole } from './read-objects-whole.ts';
import { retryHeld } from './retry-held.ts';

/** For so long after something came, an op-log is asked as often as Journey allows; then in turns with the others that are quiet. */
const LIVELY_MS = 60_000;
const FORGOTTEN_AT_ONCE = 10_000;
/**
 * An answer may be one of a moment ago, from a cache or a replica that lags: what it does not say may have happened all
 * the same. Only when so many in a row say that there is no more, is it believed.
 */
const ENDS_BELIEVED = 5;

export async function runToHelium(on: IntegrationRun): Promise<void> {
  const { signal } = on.run;
  const patience = new Patience(on.timing.retry);
  const pace = { newsMs: 0, lastPollMs: 0 };
  const pages = new OpLogPages(on);
  while (!signal.aborted) {
    try {
      const hasMore = await step(on, pace, pages);
      patience.succeeded();
      if (hasMore) pace.newsMs = Date.now();
      if (!hasMore) await restUntilNextPoll(on, pace);
    } catch (problem) {
      if (signal.aborted) return;
      if (problem instanceof BytesNeeded) {
        await forgetAttachments(on.pump.helium.pool, on.pump.run, problem.values);
        continue;
      }
      // While everything is read, nobody else notices.
      if (problem instanceof DataModelChanged) await on.followModel(problem.hash);
      const waitMs = patience.failed(problem);
      tellTrouble(on, problem, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

interface Pace {
  /** When something came last; 0: not since the run began. */
  newsMs: number;
  lastPollMs: number;
}

async function restUntilNextPoll(on: IntegrationRun, pace: Pace): Promise<void> {
  const { pollMs } = on.timing;
  const isLively = Date.now() - pace.newsMs < LIVELY_MS;
  await on.toHelium.sleep(Math.max(pollMs, isLively ? 0 : on.takeQuietTurn()), on.run.signal);
  const sinceMs = Date.now() - pace.lastPollMs;
  if (sinceMs < pollMs) await pause(pollMs - sinceMs, undefined, { signal: on.run.signal }).catch(() => undefined);
}

function tellTrouble({ run }: IntegrationRun, problem: unknown, waitMs: number): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  run.log('WARNING', `Journey → Helium: ${message} Tried again in ${Math.ceil(waitMs / 1000)} s.`);
  run.publish({ journeySyncStatus: `Waiting: ${message}` });
}

/** Answers whether there is more to do at once. */
async function step(on: IntegrationRun, pace: Pace, pages: OpLogPages): Promise<boolean> {
  await tellCounts(on);
  if (!on.isFromJourney) {
    pace.lastPollMs = Date.now();
    await followModelOnly(on);
    return false;
  }
  if (on.at.toHelium) return readObjectsWhole(on, on.at.toHelium);
  const [first] = on.toLookAt;
  if (first) {
    await lookAgain(on, first);
    on.toLookAt.shift();
    return true;
  }
  if (on.hasHeld && (await retryHeld(on))) return true;
  pace.lastPollMs = Date.now();
  return readEntries(on, pages);
}

/** Nothing comes from there: all that counts is whether it answers, and in which data model. */
async function followModelOnly(on: IntegrationRun): Promise<void> {
  const { hash } = await on.run.slot(() => on.pump.journey.readModels(on.run.signal));
  on.run.publish({ lastPingedMs: Date.now() });
  on.run.publish({ journeySyncStatus: 'Off' });
  await on.followModel(hash);
}

async function readEntries(on: IntegrationRun, pages: OpLogPages): Promise<boolean> {
  const { run } = on;
  const { page, cursor, acknowledged, mustReadFirst } = await pages.read();
  run.publish({ lastPingedMs: Date.now() });
  if (page.historyLost) {
    throw new Halt(
      `Journey's op-log no longer holds entry ${cursor}: it is shorter than the integration was away. Continue from version 0 to read everything anew.`,
    );
  }
  await on.followModel(page.dataModelHash);
  const hasNews = page.entries.length > 0 || page.cursor !== cursor;
  const applied = hasNews
    ? await carryEntries(on, page.entries, { readBehind: cursor, opLogCursor: page.cursor })
    : { written: 0 };
  on.at = { ...on.at, opLogCursor: page.cursor };
  if (page.isLast) {
    if (on.hasListings) await forgetAll(on);
    await settle(on, acknowledged);
    // Nothing was sent since it was asked for.
    if (mustReadFirst) {
      on.mustReadFirst = false;
      on.toJourney.ring();
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
async function settle(on: IntegrationRun, acknowledged: number): Promise<void> {
  if (!on.hasUnsettled) return;
  const { upTo, ends } = on.settling ?? { upTo: acknowledged, ends: 0 };
  on.settling = { upTo, ends: ends + 1 };
  if (on.settling.ends < ENDS_BELIEVED) return;
  on.settling = null;
  on.hasUnsettled = on.acknowledged > upTo;
  await inState(on.pump, (db) => settleIntents(db, on.pump.run, upTo));
  on.toJourney.ring();
}

async function forgetAll(on: IntegrationRun): Promise<void> {
  let forgotten: number;
  do {
    // A comparison may list more meanwhile.
    on.hasListings = false;
    forgotten = await inState(on.pump, (db) => forgetListings(db, on.pump.run, FORGOTTEN_AT_ONCE)).catch((problem) => {
      on.hasListings = true;
      throw problem;
    });
  } while (forgotten === FORGOTTEN_AT_ONCE);
}

async function tellCounts(on: IntegrationRun): Promise<void> {
  if (!on.countsMayDiffer) return;
  on.countsMayDiffer = false;
  const counts = await readCounts(on.pump.helium.pool, on.pump.run);
  on.hasHeld = counts.deadLetters + counts.parked > 0;
  on.run.publish(counts);
}
