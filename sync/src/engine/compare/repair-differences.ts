/** Repairs records that still differ once both logs are read past the moment they were compared. */
import type { Side } from '@portal/contract/sync/recovery';
import type { Db } from '../../helium/helium-gateway.ts';
import type { ObjectMap } from '../../mapping/object-map.ts';
import type { RecordKey } from '../../record/record-key.ts';
import { type AbsenceScope, clearAbsences } from '../../sync-state/absences.store.ts';
import { takeClearings } from '../../sync-state/clearings.store.ts';
import type { RunRow } from '../../sync-state/runs.store.ts';
import { collectAbsences, settleAbsences } from '../missing/absences.ts';
import { collectClearings, settleClearings } from '../missing/clearings.ts';
import { findCommonPage } from '../missing/common-page.ts';
import { verifySides } from '../restore/notice/check-sides.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { withLockedState } from '../state/context.ts';
import { comparePageSize, findDifferences } from './find-differences.ts';
import { repairRecords } from './repair-records.ts';

const sides = ['helium', 'journey'] as const;

/** Discards what an earlier comparison collected of a table, but not what a full read collects. */
export function startCollecting({ context }: ActiveRun, table: string): Promise<void> {
  const { stateId } = context;
  return withLockedState(context, async (db, { toHelium, toJourney }) => {
    if (toJourney === null) await clearAbsences(db, { stateId, side: 'helium', table });
    if (toHelium === null) await clearAbsences(db, { stateId, side: 'journey', table });
    for (const side of sides) await takeClearings(db, { stateId, side, table });
  });
}

/**
 * Decides about the records and values that one side no longer has, once the whole table was
 * compared. Returns how many records are deleted or changed on the other side; throws HaltError
 * when an operator has to be asked.
 */
export async function settleCollected(active: ActiveRun, table: string): Promise<number> {
  await waitForLogs(active);
  let deleted = 0;
  for (const side of sides) deleted += await settleAbsences(active, { side, table }, { isComparison: true });
  let cleared = 0;
  for (const side of sides) cleared += await clearFew(active, side, table);
  return deleted + cleared;
}

/** Has few values cleared on the other side, and returns the number of their records. */
async function clearFew(active: ActiveRun, side: Side, table: string): Promise<number> {
  const options = { isComparison: true, onFew: (db: Db, _: RunRow, scope: AbsenceScope) => takeClearings(db, scope) };
  const ids = (await settleClearings(active.context, { side, table }, options)) ?? [];
  const keys = ids.map((id) => ({ table, id }));
  if (keys.length > 0) await repairRecords(active, { keys, refreshed: side === 'journey' ? keys : [] });
  return keys.length;
}

/**
 * Waits until all full reads are complete and the logs are read past everything they contain now. A
 * log that is not read is not awaited.
 */
export async function waitForLogs(active: ActiveRun): Promise<void> {
  const { context, run, progress, echoes, isFromHelium, isFromJourney } = active;
  const heads = {
    opLog: isFromJourney ? await context.journey.readHead(run.signal) : null,
    changeLog: isFromHelium ? await context.helium.readHead() : null,
  };
  // Without the op-log, no echo is expected.
  const areEchoesSettled = () => !isFromJourney || !echoes.hasUnsettled;
  // While one log is awaited, the other may receive new entries.
  while (!progress.isPast(heads) || !areEchoesSettled()) {
    const arrived = Promise.all([
      progress.whenPast(heads, run.signal),
      areEchoesSettled() ? undefined : echoes.whenSettled(run.signal),
    ]);
    active.toHelium.wake();
    active.toJourney.wake();
    await arrived;
  }
}

/**
 * Compares the suspects again, repairs those that still differ and returns their number. Records
 * that one side no longer has, or of which it no longer has a value, are only collected, and do not
 * count. Those that differ only on a side whose changes are not read are returned.
 */
export async function repairDifferences(
  active: ActiveRun,
  map: ObjectMap,
  { afterId, suspects }: { readonly afterId: string | null; readonly suspects: readonly RecordKey[] },
): Promise<{ readonly repaired: number; readonly others: readonly RecordKey[] }> {
  const { context, run } = active;
  // The range may contain records created since. Suspects beyond the limit wait for the next
  // comparison.
  const limit = 2 * comparePageSize;
  const listed = await run.withSlot(() => context.journey.listAfter(map, afterId, limit, run.signal));
  const presentIds = listed.map(({ key }) => key.id);
  const { includes } = findCommonPage(presentIds, [], limit);
  const seen = suspects.filter(({ id }) => includes(id));
  const found = await findDifferences(active, map, seen, listed);
  const differences = found.differences.filter(({ isSourceDifferent }) => isSourceDifferent);
  const others = found.differences.filter(({ isSourceDifferent }) => !isSourceDifferent).map(({ key }) => key);
  // After both sides were read: a difference that a restore made is not repaired.
  await verifySides(active);
  for (const side of sides) {
    const ids = differences.filter(({ absentIn }) => absentIn === side).map(({ key }) => key.id);
    await collectAbsences(context, { side, table: map.table }, { ids, isFirstPage: false });
    const values = differences.flatMap(({ key, cleared }) =>
      cleared.filter((one) => one.side === side).map(({ column }) => ({ id: key.id, column })),
    );
    await collectClearings(context, { side, table: map.table }, { values, isFirstPage: false });
  }
  const repaired = differences.filter(({ absentIn, cleared }) => absentIn === null && cleared.length === 0);
  await repairRecords(active, {
    keys: repaired.map(({ key }) => key),
    refreshed: map.toHelium
      ? repaired.filter(({ isJourneyDifferent }) => isJourneyDifferent).map(({ key }) => key)
      : [],
  });
  return { repaired: repaired.length, others };
}
