/** Repairs records that still differ once both logs are read past the moment they were compared. */
import type { ObjectMap } from '../../mapping/object-map.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';
import { findCommonPage } from '../shared/common-page.ts';
import { inState } from '../shared/sync-context.ts';
import { comparedAtOnce, findDifferences } from './find-differences.ts';

/** Waits until what is to be read whole is read, and both logs past everything they contain now. */
export async function waitForLogs(active: ActiveRun): Promise<void> {
  const { context, run, progress, echoes } = active;
  const heads = {
    opLog: await context.journey.readHead(run.signal),
    changeLog: await context.helium.readHead(),
  };
  // While the one is waited for, the other may be at work again.
  while (!progress.isPast(heads) || echoes.hasUnsettled) {
    const arrived = Promise.all([progress.whenPast(heads, run.signal), echoes.whenSettled(run.signal)]);
    active.toHelium.wake();
    active.toJourney.wake();
    await arrived;
  }
}

/** Compares the suspects again and repairs those that still differ. Returns how many. */
export async function repairDifferences(
  active: ActiveRun,
  map: ObjectMap,
  { afterId, suspects }: { readonly afterId: string | null; readonly suspects: readonly RecordKey[] },
): Promise<number> {
  const { context, run } = active;
  // Records created since may lie between; those that are pushed off the end wait for the next
  // comparison.
  const limit = 2 * comparedAtOnce;
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, limit, run.signal));
  const there = listed.map(({ key }) => key.id);
  const { includes } = findCommonPage(there, [], limit);
  const seen = suspects.filter(({ id }) => includes(id));
  const { differences } = await findDifferences(active, map, seen, listed);
  const keys = differences.map(({ key }) => key);
  // By the loop that applies the op-log: from here an edit that is applied concurrently would be
  // overwritten.
  const refreshed = active.refreshQueue.add(
    differences.filter(({ isJourneyOther }) => isJourneyOther).map(({ key }) => key),
    run.signal,
  );
  active.toHelium.wake();
  await refreshed;
  await inState(context, (db) => markDirty(db, context.stateId, keys));
  active.toJourney.wake();
  return differences.length;
}
