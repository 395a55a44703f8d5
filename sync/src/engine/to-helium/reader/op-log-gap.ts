/** Journey → Helium: decides what follows when the op-log does not continue at the cursor. */
import type { OpLogPoint } from '../../../journey/journey-gateway.ts';
import { countKnown } from '../../../sync-state/records.store.ts';
import { saveRun } from '../../../sync-state/runs.store.ts';
import { checkEmptied, checkExpired, verifyJourney } from '../../restore/notice/check-journey.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { withLockedState } from '../../state/context.ts';
import { HaltError } from '../../state/halt-error.ts';

/** Entries that are younger than this have not expired since the last one was proven. */
const recentMs = 3_600_000;

/**
 * The last entry that was read is gone. Throws RestoreFound unless it may have expired. When
 * Journey has nothing new, the op-log is read on. Otherwise what is left of it is read, because
 * edits that were overwritten since then are only there, and then all objects.
 */
export async function recoverFromGap(active: ActiveRun, cursor: string): Promise<void> {
  const { context, progress, run } = active;
  const point = progress.opLogPoint;
  // Only a version that an operator gave may never have been there.
  const problem = point ? null : await context.journey.findVersionProblem(cursor, run.signal);
  if (problem !== null) throw new HaltError(problem, `op-log ${cursor}`);
  const expired = point && (await (point.sequence === cursor ? checkExpired(context, point) : checkUnread(active)));
  const oldest = expired?.oldest ?? null;
  if (point && expired?.isUnchanged && !oldest && (await hasNothingNew(active, point))) {
    run.log('INFO', `Journey's op-log has expired up to entry ${cursor}. All of its entries had been read.`);
    const opLogPoint = { ...point, isExpired: true };
    await withLockedState(context, (db) => saveRun(db, context.stateId, { opLogPoint }));
    progress.setPoints({ opLogPoint });
    return;
  }
  // What explains the new or missing objects would not have expired yet.
  if (point && !oldest && isRecent(point)) await checkEmptied(context, point);
  if (point)
    run.log(
      'WARNING',
      `Journey's op-log no longer has all entries after ${cursor}: it covers less time than has passed since that one was read. All objects are read again.`,
    );
  // Numbers do not start at 1, so the first entry ever looks like one after a gap.
  else run.log('INFO', `Journey's op-log has its first entries. All objects are read, in case others have expired.`);
  await active.readAgain('toHelium', oldest && toPointBefore(oldest));
}

/**
 * The point is a later entry, which was seen at the end of the op-log while that was not read.
 * Throws RestoreFound when it is another one now.
 */
async function checkUnread(active: ActiveRun) {
  await verifyJourney(active);
  return { oldest: await active.context.journey.readOldest(active.run.signal), isUnchanged: false };
}

function isRecent({ provenAtMs }: OpLogPoint): boolean {
  return Date.now() - provenAtMs < recentMs;
}

function toPointBefore(oldest: OpLogPoint): OpLogPoint {
  return { ...oldest, sequence: String(BigInt(oldest.sequence) - 1n), isExpired: true };
}

/**
 * Whether Journey has as many objects as are known, and no other was written since the last entry.
 * If that entry was proven recently, a later one would not have expired yet, so nothing was
 * written.
 */
async function hasNothingNew({ context, run }: ActiveRun, point: OpLogPoint): Promise<boolean> {
  for (const map of context.mapping.objects) {
    if (!map.toHelium) continue;
    const sinceMs = isRecent(point) ? null : point.updatedAtMs;
    const { count, writtenSince } = await run.withSlot(() => context.journey.countObjects(map, sinceMs, run.signal));
    if (count !== (await countKnown(context.helium.pool, context.stateId, map.table))) return false;
    if (writtenSince.some((id) => id !== point.id)) return false;
  }
  return true;
}
