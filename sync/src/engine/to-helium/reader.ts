/** Journey → Helium: reads one page of the op-log, and decides what is certain at its end. */
import type { Figures } from '../../integration/figures.ts';
import type { JourneyEntry, OpLogPage, OpLogPoint } from '../../journey/journey-gateway.ts';
import { isPast } from '../../record/unconfirmed-writes.ts';
import { clearListings } from '../../sync-state/records.store.ts';
import { type Snapshot, saveRun } from '../../sync-state/runs.store.ts';
import { checkEntry, isSameEntry } from '../restore/notice/check-journey.ts';
import type { RunWith } from '../run/parts.ts';
import { describeRest } from '../run/report/describe-rest.ts';
import { withLockedState } from '../state/context.ts';
import type { EchoSnapshot } from '../state/echoes.ts';
import { applyEntries } from './apply-entries.ts';
import { noticeDeployment } from './reader/notice-deployment.ts';
import { recoverFromGap } from './reader/op-log-gap.ts';
import type { OpLogPages } from './reader/op-log-pages.ts';
import { checkUnconfirmed, describeLag } from './receipts/unconfirmed-writes.ts';

const listingsPerTransaction = 10_000;

interface ReadPage {
  /** Whether the op-log was read up to its end. */
  readonly isLast: boolean;
  /** Whether something was written to Helium. */
  readonly isChanged: boolean;
}

export async function readOpLog(
  run: RunWith<'announced' | 'echoes' | 'loops' | 'mapping' | 'progress' | 'readAgain' | 'tally'>,
  pages: OpLogPages,
): Promise<ReadPage> {
  const { progress, context, announced } = run;
  const requestedMs = Date.now();
  const { page, cursor, echoes } = await pages.read();
  const nowMs = context.journey.nowMs();
  run.publish({ lastPingedMs: Date.now() });
  if (page.historyLost) {
    await recoverFromGap(run, cursor);
    return { isLast: false, isChanged: false };
  }
  const known = progress.opLogPoint;
  if (page.start && known?.sequence === cursor) checkEntry(page.start, known);
  await run.mapping.followModel(page.dataModelHash);
  if (await noticeDeployment(run, page.entries)) return { isLast: false, isChanged: false };
  const [oldest] = page.entries;
  // Before they are applied: a page that cannot be applied waits from now on.
  if (oldest) run.publish({ journeyToHeliumWaitingSinceMs: oldest.changedAtMs });
  const hasChanges = page.entries.length > 0 || page.cursor !== cursor;
  const applied = hasChanges
    ? await applyEntries(run, page.entries, {
        readBehind: cursor,
        unreadable: page.unreadable,
        opLogCursor: page.cursor,
        opLogPoint: page.point,
        isAfter: ({ changedAtMs }, intent) => isPast(intent, run.echoes.getProof(changedAtMs ?? 0, nowMs)),
      })
    : { written: [] };
  progress.moveOpLogTo(page.cursor);
  if (hasChanges) run.echoes.recordRead([...page.entries.map(getTime), page.point?.updatedAtMs ?? 0], nowMs);
  if (hasChanges) progress.setPoints({ opLogPoint: page.point });
  else if (page.point) await keepPoint(run, page.point);
  const isChanged = applied.written.length > 0;
  // Deletions have no webhook.
  if (isChanged && page.entries.some(({ operation }) => operation !== 'delete')) announced.recordChange(Date.now());
  if (page.isLast) announced.recordEnd(requestedMs);
  if (page.isLast) await finishOpLog(run, echoes);
  run.publish({ oplogVersion: page.cursor, ...describeProgress(run, page) });
  return { isLast: page.isLast, isChanged };
}

function getTime({ changedAtMs }: JourneyEntry): number {
  return changedAtMs ?? 0;
}

function describeProgress(
  { context, echoes }: RunWith<'echoes'>,
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
export async function keepPoint({ context, progress }: RunWith<'progress'>, opLogPoint: OpLogPoint): Promise<void> {
  const known = progress.opLogPoint;
  const isKnown = known && isSameEntry(opLogPoint, known) && !opLogPoint.isExpired;
  if (isKnown && opLogPoint.provenAtMs - known.provenAtMs < proofAgeMs) return;
  await withLockedState(context, (db) => saveRun(db, context.stateId, { opLogPoint }));
  progress.setPoints({ opLogPoint });
}

async function finishOpLog(run: RunWith<'echoes' | 'loops' | 'progress'>, snapshot: EchoSnapshot): Promise<void> {
  const { echoes, progress, loops } = run;
  if (progress.hasListings) await removeListings(run);
  if (echoes.allowSending(snapshot)) loops.wake('records to send');
  const checkedUpTo = echoes.recordEnd(snapshot);
  if (checkedUpTo !== null) await checkUnconfirmed(run, checkedUpTo);
  if (progress.fullReadToHelium?.isAfterLog) await startFullRead(run, progress.fullReadToHelium);
}

async function startFullRead({ context, progress }: RunWith<'progress'>, planned: Snapshot): Promise<void> {
  const { isAfterLog: _, ...toHelium } = planned;
  await withLockedState(context, (db) => saveRun(db, context.stateId, { toHelium }));
  progress.continueFullReadToHelium(toHelium);
}

async function removeListings({ context, progress }: RunWith<'progress'>): Promise<void> {
  let removed: number;
  do {
    removed = await withLockedState(context, (db) => clearListings(db, context.stateId, listingsPerTransaction));
  } while (removed === listingsPerTransaction);
  progress.clearListings();
}
