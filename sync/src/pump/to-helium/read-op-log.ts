/** Journey → Helium: reads one page of the op-log, and settles what is certain at its end. */
import { settleIntents } from '../../sync-state/intents.store.ts';
import { clearListings } from '../../sync-state/records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { HaltError } from '../shared/halt-error.ts';
import type { EchoSnapshot } from '../shared/pending-echoes.ts';
import { RestoreFound } from '../shared/restore-found.ts';
import { withLockedState } from '../shared/sync-context.ts';
import { applyEntries } from './apply-entries.ts';
import type { OpLogPages } from './op-log-pages.ts';

const listingsPerTransaction = 10_000;

/** Returns whether there is more to do at once. */
export async function readOpLog(active: ActiveRun, pages: OpLogPages): Promise<boolean> {
  const { run, progress } = active;
  const { page, cursor, echoes } = await pages.read();
  run.publish({ lastPingedMs: Date.now() });
  if (page.historyLost) {
    const head = await active.context.journey.readHead(run.signal);
    if (BigInt(head) < BigInt(cursor))
      throw new RestoreFound(
        `Journey's op-log ends before entry ${cursor}, which was already read: the deployment was restored.`,
        { side: 'journey', asOf: null, tables: null },
      );
    throw new HaltError(
      `Journey's op-log no longer holds entry ${cursor}: it covers less time than the integration was stopped. Continue from version 0 to read everything again.`,
    );
  }
  await active.mapping.followModel(page.dataModelHash);
  const hasChanges = page.entries.length > 0 || page.cursor !== cursor;
  const applied = hasChanges
    ? await applyEntries(active, page.entries, { readBehind: cursor, opLogCursor: page.cursor })
    : { written: 0 };
  if (applied === 'read-again') return true;
  progress.moveOpLogTo(page.cursor);
  if (page.isLast) await finishOpLog(active, echoes);
  run.publish({
    oplogVersion: page.cursor,
    journeySyncStatus: page.isLast ? 'Live' : 'Catching up',
    journeyToHeliumWaitingSinceMs: page.isLast ? null : (page.entries[0]?.changedAtMs ?? null),
  });
  return !page.isLast || applied.written > 0;
}

async function finishOpLog(active: ActiveRun, snapshot: EchoSnapshot): Promise<void> {
  const { context, echoes, progress, toJourney } = active;
  if (progress.hasListings) await removeListings(active);
  const settledUpTo = echoes.recordEnd(snapshot);
  if (settledUpTo !== null) {
    await withLockedState(context, (db) => settleIntents(db, context.stateId, settledUpTo));
    echoes.settle(settledUpTo);
    toJourney.wake();
  }
  if (echoes.allowSending(snapshot)) toJourney.wake();
}

async function removeListings({ context, progress }: ActiveRun): Promise<void> {
  let removed: number;
  do {
    removed = await withLockedState(context, (db) => clearListings(db, context.stateId, listingsPerTransaction));
  } while (removed === listingsPerTransaction);
  progress.clearListings();
}
