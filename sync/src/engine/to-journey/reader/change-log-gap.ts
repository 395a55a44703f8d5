/** Helium → Journey: decides what follows when the change log does not continue at the cursor. */
import { saveRun } from '../../../sync-state/runs.store.ts';
import { verifyHelium } from '../../restore/notice/check-helium.ts';
import { RestoreFound } from '../../restore/notice/restore-found.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { withLockedState } from '../../state/context.ts';
import { HaltError } from '../../state/halt-error.ts';
import { StateRestored } from '../../state/state-restored.ts';

/**
 * The last entry that was read is not there any more. Throws RestoreFound unless the log was
 * cleared. Returns true: there is more to do at once.
 */
export async function recoverFromGap(active: ActiveRun): Promise<true> {
  const { context, progress, run } = active;
  const { finding } = await verifyHelium(context);
  // The stored entry is there, and the one in memory is not.
  if (finding.kind === 'proven' || !progress.changeLogPoint) throw new StateRestored();
  const { point } = finding;
  const cleared = `Helium's change log was cleared up to entry ${point.seq} or further`;
  if (finding.isLast) {
    run.log('INFO', `${cleared}. All of its entries had been read.`);
    await withLockedState(context, (db) => saveRun(db, context.stateId, { changeLogPoint: point }));
    progress.setPoints({ changeLogPoint: point });
  } else {
    run.log('WARNING', `${cleared}, perhaps with entries that had not been read: all rows are read again.`);
    await active.readAgain('toJourney');
  }
  return true;
}

/**
 * The log ends before the cursor. Throws unless its number was drawn, so that the log was cleared.
 */
export async function checkEnd(active: ActiveRun): Promise<void> {
  const { context, progress } = active;
  const { changeLogCursor: cursor } = progress;
  const problem = await context.helium.findVersionProblem(cursor);
  if (!problem?.isAhead) return;
  await verifyHelium(context);
  // A version that was given in the configuration has no entry that was read.
  if (progress.changeLogPoint)
    throw new RestoreFound(
      `Helium's database was restored, or a part of it was. Its change log ends before entry ${cursor}, which was already read.`,
      { side: 'helium', asOf: null, tables: null },
    );
  throw new HaltError(problem.reason, `change log ${cursor}`);
}
