/**
 * Looks at the log of the side whose changes are not read, to notice that this side was restored:
 * what was written to it before is missing then.
 */
import { saveRun } from '../../../sync-state/runs.store.ts';
import { verifyHelium } from '../../restore/notice/check-helium.ts';
import { isSameEntry, verifyJourney } from '../../restore/notice/check-journey.ts';
import type { ActiveRun } from '../../run/active-run.ts';
import { withLockedState } from '../../state/context.ts';
import { keepPoint } from '../reader.ts';

/** Throws RestoreFound when Helium was restored. */
export async function lookAtChangeLog({ context }: ActiveRun): Promise<void> {
  const { finding } = await verifyHelium(context);
  if (finding.kind === 'cleared')
    await withLockedState(context, (db) => saveRun(db, context.stateId, { changeLogPoint: finding.point }));
}

/** Throws RestoreFound when Journey was restored. Returns the hash of its data model. */
export async function lookAtOpLog(active: ActiveRun): Promise<string> {
  const { context, progress, run } = active;
  const { point: tail, dataModelHash } = await context.journey.readTail(run.signal);
  const known = progress.opLogPoint;
  const isUnmoved = known && (tail ? isSameEntry(tail, known) : known.isExpired);
  // In this order: the tail is remembered only if it continues what was seen before.
  if (known && !isUnmoved && !(await verifyJourney(active)) && !tail)
    await keepPoint(active, { ...known, isExpired: true });
  if (tail) await keepPoint(active, tail);
  return dataModelHash;
}
