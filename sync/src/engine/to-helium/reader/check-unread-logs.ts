/**
 * Looks at the log of the side whose changes are not read, to notice that this side was restored:
 * what was written to it before is missing then.
 */
import { saveRun } from '../../../sync-state/runs.store.ts';
import { checkHelium } from '../../restore/notice/check-helium.ts';
import { checkJourney, isSameEntry } from '../../restore/notice/check-journey.ts';
import type { RunWith } from '../../run/parts.ts';
import { withLockedState } from '../../state/context.ts';
import type { Run } from '../../state/run.ts';
import { keepPoint } from '../reader.ts';

/** Throws RestoreFound when Helium was restored. */
export async function lookAtChangeLog({ context }: Run): Promise<void> {
  const { finding } = await checkHelium(context);
  if (finding.kind === 'cleared')
    await withLockedState(context, (db) => saveRun(db, context.stateId, { changeLogPoint: finding.point }));
}

/** Throws RestoreFound when Journey was restored. Returns the hash of its data model. */
export async function lookAtOpLog(run: RunWith<'progress'>): Promise<string> {
  const { context, progress } = run;
  const { point: tail, dataModelHash } = await context.journey.readTail(run.signal);
  const known = progress.opLogPoint;
  const isUnmoved = known && (tail ? isSameEntry(tail, known) : known.isExpired);
  // In this order: the tail is remembered only if it continues what was seen before.
  if (known && !isUnmoved && !(await checkJourney(run)) && !tail) await keepPoint(run, { ...known, isExpired: true });
  if (tail) await keepPoint(run, tail);
  return dataModelHash;
}
