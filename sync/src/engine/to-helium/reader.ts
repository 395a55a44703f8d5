/** Journey → Helium: reads one page of the op-log, and settles what is certain at its end. */
import type { Figures } from '../../integration/figures.ts';
import type { JourneyEntry, OpLogPage, OpLogPoint } from '../../journey/journey-gateway.ts';
import { isPast } from '../../record/unconfirmed-writes.ts';
import { clearListings } from '../../sync-state/records.store.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import { checkEntry, isSameEntry } from '../restore/notice/check-journey.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { describeRest } from '../run/report/describe-rest.ts';
import { withLockedState } from '../state/context.ts';
import type { EchoSnapshot } from '../state/echoes.ts';
import { noticeDeployment } from './reader/notice-deployment.ts';
import { recoverFromGap } from './reader/op-log-gap.ts';
import type { OpLogPages } from './reader/op-log-pages.ts';
import { describeLag, settleUnconfirmed } from './receipts/unconfirmed-writes.ts';
import { applyEntries } from './writer/apply-entries.ts';

const listingsPerTransaction = 10_000;

interface ReadPage {
  /** Whether the op-log was read up to its end. */
  readonly isLast: boolean;
  /** Whether something was written to Helium. */
  readonly isChanged: boolean;
}

export async function readOpLog(active: ActiveRun, pages: OpLogPages): Promise<ReadPage> {
  const { run, progress, context, announced } = active;
  const requestedMs = Date.now();
  const { page, cursor, echoes } = await pages.read();
  const nowMs = context.journey.nowMs();
  run.publish({ lastPingedMs: Date.now() });
  if (page.historyLost) {
    await recoverFromGap(active, cursor);
    return { isLast: false, isChanged: false };
  }
  const known = progress.opLogPoint;
  if (page.start && known?.sequence === cursor) checkEntry(page.start, known);
  await active.mapping.followModel(page.dataModelHash);
  if (await noticeDeployment(active, page.entries)) return { isLast: false, isChanged: false };
  const [oldest] = page.entries;
  // Before they are applied: a page that cannot be applied waits from now on.
  if (oldest) run.publish({ journeyToHeliumWaitingSinceMs: oldest.changedAtMs });
  const hasChanges = page.entries.length > 0 || page.cursor !== cursor;
  const applied = hasChanges
    ? await applyEntries(active, page.entries, {
        readBehind: cursor,
        unreadable: page.unreadable,
        opLogCursor: page.cursor,
        opLogPoint: page.point,
        isAfter: ({ changedAtMs }, intent) => isPast(intent, active.echoes.getProof(changedAtMs ?? 0, nowMs)),
      })
    : { written: [] };
  progress.moveOpLogTo(page.cursor);
  if (hasChanges) active.echoes.recordRead([...page.entries.map(getTime), page.point?.updatedAtMs ?? 0], nowMs);
  if (hasChanges) progress.setPoints({ opLogPoint: page.point });
  else if (page.point) await keepPoint(active, page.point);
  const isChanged = applied.written.length > 0;
  // Deletions have no webhook.
  if (isChanged && page.entries.some(({ operation }) => operation !== 'delete')) announced.recordChange(Date.now());
  if (page.isLast) announced.recordEnd(requestedMs);
  if (page.isLast) await finishOpLog(active, echoes);
  run.publish({ oplogVersion: page.cursor, ...describeProgress(active, page) });
  return { isLast: page.isLast, isChanged };
}

function getTime({ changedAtMs }: JourneyEntry): number {
  return changedAtMs ?? 0;
}

function describeProgress(
  { context, echoes }: ActiveRun,
  { isLast, entries }: OpLogPage,
): Pick<Figures, 'journeySyncStatus' | 'journeyToHeliumWaitingSinceMs'> {
  if (!isLast)
    return { journeySyncStatus: 'Catching up', journeyToHeliumWaitingSinceMs: entries[0]?.changedAtMs ?? null };
  if (echoes.behindSinceMs === null)
    return { journeySyncStatus: describeRest(context), journeyToHeliumWaitingSinceMs: null };
  const lagMs = context.journey.nowMs() - echoes.behindSinceMs;
  return { journeySyncStatus: `Waiting: ${describeLag(lagMs)}.`, journeyToHeliumWaitingSinceMs: Date.now() - lagMs };
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
  const { echoes, progress, toJourney } = active;
  if (progress.hasListings) await removeListings(active);
  if (echoes.allowSending(snapshot)) toJourney.wake();
  const checkedUpTo = echoes.recordEnd(snapshot);
  if (checkedUpTo !== null) await settleUnconfirmed(active, checkedUpTo);
  if (progress.fullReadToHelium?.isAfterLog) await startFullRead(active, progress.fullReadToHelium);
}

async function startFullRead({ context, progress }: ActiveRun, planned: Snapshot): Promise<void> {
  const { isAfterLog: _, ...toHelium } = planned;
  await withLockedState(context, (db) => saveRun(db, context.stateId, { toHelium }));
  progress.continueFullReadToHelium(toHelium);
}

async function removeListings({ context, progress }: ActiveRun): Promise<void> {
  let removed: number;
  do {
    removed = await withLockedState(context, (db) => clearListings(db, context.stateId, listingsPerTransaction));
  } while (removed === listingsPerTransaction);
  progress.clearListings();
}
