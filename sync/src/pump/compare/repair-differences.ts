/** Repairs records that still differ once both logs are read past the moment they were compared. */
import type { ObjectMap } from '../../mapping/object-map.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { withLockedState } from '../shared/sync-context.ts';
import { verifySides } from '../shared/verify-sides.ts';
import { comparePageSize, findDifferences } from './find-differences.ts';

/**
 * Waits until all full reads are complete and both logs are read past everything they contain now.
 */
export async function waitForLogs(active: ActiveRun): Promise<void> {
  const { context, run, progress, echoes } = active;
  const heads = {
    opLog: await context.journey.readHead(run.signal),
    changeLog: await context.helium.readHead(),
  };
  // While one log is awaited, the other may receive new entries.
  while (!progress.isPast(heads) || echoes.hasUnsettled) {
    const arrived = Promise.all([progress.whenPast(heads, run.signal), echoes.whenSettled(run.signal)]);
    active.toHelium.wake();
    active.toJourney.wake();
    await arrived;
  }
}

/** Compares the suspects again, repairs those that still differ and returns their number. */
export async function repairDifferences(
  active: ActiveRun,
  map: ObjectMap,
  { afterId, suspects }: { readonly afterId: string | null; readonly suspects: readonly RecordKey[] },
): Promise<number> {
  const { context, run } = active;
  // The range may contain records created since. Suspects beyond the limit wait for the next
  // comparison.
  const limit = 2 * comparePageSize;
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, limit, run.signal));
  const presentIds = listed.map(({ key }) => key.id);
  const { includes } = findCommonPage(presentIds, [], limit);
  const seen = suspects.filter(({ id }) => includes(id));
  const { differences } = await findDifferences(active, map, seen, listed);
  // After both sides were read: a difference that a restore made is not repaired.
  await verifySides(active);
  const keys = differences.map(({ key }) => key);
  // The op-log loop refreshes them: done here, it would overwrite an edit that is applied
  // concurrently.
  const refreshed = active.refreshQueue.add(
    differences.filter(({ isJourneyDifferent }) => isJourneyDifferent).map(({ key }) => key),
    run.signal,
  );
  active.toHelium.wake();
  await refreshed;
  await withLockedState(context, (db) => markDirty(db, context.stateId, keys));
  active.toJourney.wake();
  return differences.length;
}
