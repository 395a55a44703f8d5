/** Journey → Helium: reads one page of the op-log, and settles what is certain at its end. */
import type { OpLogPoint } from '../../journey/journey-gateway.ts';
import { settleIntents } from '../../sync-state/intents.store.ts';
import { clearListings } from '../../sync-state/records.store.ts';
import { saveRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import type { EchoSnapshot } from '../shared/pending-echoes.ts';
import { withLockedState } from '../shared/sync-context.ts';
import { checkEntry, isSameEntry } from '../shared/verify-journey.ts';
import { applyEntries } from './apply-entries.ts';
import { recoverFromGap } from './op-log-gap.ts';
import type { OpLogPages } from './op-log-pages.ts';

const listingsPerTransaction = 10_000;

/** Returns whether there is more to do at once. */
export async function readOpLog(active: ActiveRun, pages: OpLogPages): Promise<boolean> {
  const { run, progress } = active;
  const { page, cursor, echoes } = await pages.read();
  run.publish({ lastPingedMs: Date.now() });
  if (page.historyLost) {
    await recoverFromGap(active, cursor);
    return true;
  }
  const known = progress.opLogPoint;
  if (page.start && known?.sequence === cursor) checkEntry(page.start, known);
  await active.mapping.followModel(page.dataModelHash);
  const [oldest] = page.entries;
  // Before they are applied: a page that cannot be applied waits from now on.
  if (oldest) run.publish({ journeyToHeliumWaitingSinceMs: oldest.changedAtMs });
  const hasChanges = page.entries.length > 0 || page.cursor !== cursor;
  const applied = hasChanges
    ? await applyEntries(active, page.entries, { readBehind: cursor, opLogCursor: page.cursor, opLogPoint: page.point })
    : { written: [] };
  if (applied === 'read-again') return true;
  progress.moveOpLogTo(page.cursor);
  if (hasChanges) progress.setPoints({ opLogPoint: page.point });
  else if (page.point) await keepPoint(active, page.point);
  if (page.isLast) await finishOpLog(active, echoes);
  run.publish({
    oplogVersion: page.cursor,
    journeySyncStatus: page.isLast ? 'Live' : 'Catching up',
    ...(page.isLast && { journeyToHeliumWaitingSinceMs: null }),
  });
  return !page.isLast || applied.written.length > 0;
}

/** How old the stored time of the last proof may become while nothing changes. */
const proofAgeMs = 15 * 60_000;

/** Stores the entry at the cursor when it was not known, and from time to time that it is there. */
export async function keepPoint({ context, progress }: ActiveRun, opLogPoint: OpLogPoint): Promise<void> {
  const known = progress.opLogPoint;
  const isKnown = known && isSameEntry(opLogPoint, known) && !opLogPoint.isExpired;
  if (isKnown && opLogPoint.provenAtMs - known.provenAtMs < proofAgeMs) return;
  await withLockedState(context, (db) => saveRun(db, context.stateId, { opLogPoint }));
  progress.setPoints({ opLogPoint });
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
