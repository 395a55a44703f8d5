/**
 * Plans the writes to Journey for a page of dirty records, and saves them as intents in the same
 * transaction. Where records are unknown, it changes nothing and returns them: Journey is asked
 * outside the transaction (`planner/look-up.ts`), and the page is planned again.
 */

import type { Db, HeliumRow } from '../../helium/helium-gateway.ts';
import { findDecimalTables } from '../../mapping/object-map.ts';
import type { KeyMap, RecordKey } from '../../record/record-key.ts';
import { releaseRecords, retrySkipped, wakeDependents } from '../../sync-state/held-records.store.ts';
import { addIntents, type IntentRef } from '../../sync-state/intents.store.ts';
import { saveRecords } from '../../sync-state/records.store.ts';
import { saveRounded } from '../../sync-state/rounded-records.store.ts';
import { removeWaitingFiles } from '../../sync-state/waiting-files.store.ts';
import { expectsEcho, pageSize, type SyncContext } from '../state/context.ts';
import type { UnknownRecord } from '../state/look-ups.ts';
import { saveMerged } from './planner/merge-found.ts';
import {
  type KeyToPlan,
  type PlanBase,
  type PlannedWrite,
  planRecord,
  type RecordPlan,
  readPage,
  type WriteToPlan,
} from './planner/plan-record.ts';

export interface WritePlan {
  /** Parents before children; deletions last, children before parents. */
  readonly planned: readonly PlannedWrite[];
  /**
   * Whether records that Journey had rejected are sent again or no longer need to be, skipped ones
   * are tried again, or others are rounded than before.
   */
  readonly mayChangeCounts: boolean;
  /**
   * The call its intents belong to; null when no echo is expected, because then no call is opened.
   */
  readonly call: number | null;
  /** Records to look up first. If there are any, nothing is planned. */
  readonly unknown: readonly UnknownRecord[];
  /** How many conflicts with values that Journey had were recorded. */
  readonly conflicts: number;
  /** Tables with a row that is new, although the log names no creation: its id was changed. */
  readonly renamedTables: readonly string[];
  /** Tables of which a row had an id for a moment, under which another row's change was logged. */
  readonly movedTables: readonly string[];
}

/** Returns the intents that were saved. */
export function getIntentRefs(planned: readonly PlannedWrite[]): IntentRef[] {
  return planned.flatMap(({ key, intentId }) => (intentId > 0 ? [{ key, number: intentId }] : []));
}

const nothingToSend: WritePlan = {
  planned: [],
  mayChangeCounts: false,
  call: null,
  unknown: [],
  conflicts: 0,
  renamedTables: [],
  movedTables: [],
};

export async function planWrites(
  context: SyncContext,
  db: Db,
  keys: readonly KeyToPlan[],
  base: PlanBase,
): Promise<WritePlan> {
  const nowMs = Date.now();
  if (keys.length === 0) return nothingToSend;
  const page = await readPage(context, db, keys);
  const plans = keys.map((key) => planRecord(context, page, { key, base, nowMs }));
  const unknown = plans.map((plan) => plan.unknown).filter((one) => one !== null);
  if (unknown.length > 0) return { ...nothingToSend, unknown };
  const conflicts = await saveMerged(
    context,
    db,
    plans.flatMap(({ merged }) => merged),
  );
  const found = plans.map(({ write }) => write).filter((write) => write !== null);
  const keysOf = (choose: (plan: RecordPlan) => boolean) => plans.filter(choose).map(({ key }) => key);
  const tablesOf = (choose: (plan: RecordPlan) => boolean) => [...new Set(keysOf(choose).map(({ table }) => table))];
  await removeWaitingFiles(
    db,
    context.stateId,
    plans.flatMap(({ droppedFiles }) => droppedFiles),
  );
  const settled = keysOf(({ held, write, isLeft }) => held !== undefined && !write && !isLeft);
  await releaseRecords(db, context.stateId, 'helium-to-journey', settled);
  const isRoundingChanged = await saveRounded(db, context.stateId, findRounded(context, keys, page.rows));
  const { call, changeLogCursor } = base;
  const planned = found.length === 0 ? [] : await saveIntents(context, db, orderWrites(context, found), call);
  // The next attempt to write Journey's state to Helium compares it with the time of the deletion.
  const deletedWhileHeld = plans.filter(({ isDeletedWhileHeld }) => isDeletedWhileHeld);
  const deleted = [...deletedWhileHeld, ...found.filter(({ method }) => method === 'delete')];
  await saveDeletionTimes(context, db, deleted, { nowMs, changeLogCursor });
  const retried = keysOf(({ isRetried }) => isRetried);
  await retrySkipped(db, context.stateId, retried);
  return {
    planned,
    mayChangeCounts: isRoundingChanged || retried.length > 0 || plans.some(({ held }) => held !== undefined),
    call: planned.some(({ intentId }) => intentId > 0) ? call : null,
    unknown,
    conflicts,
    renamedTables: tablesOf(({ isRenamed }) => isRenamed),
    movedTables: tablesOf(({ isMoved }) => isMoved),
  };
}

/** Returns which of the records that may have long decimals have some. */
function findRounded(context: SyncContext, keys: readonly RecordKey[], rows: KeyMap<HeliumRow>) {
  const withDecimals = new Set(findDecimalTables(context.mapping));
  return keys
    .filter(({ table }) => withDecimals.has(table))
    .map((key) => ({ key, isRounded: rows.get(key)?.isRounded ?? false }));
}

async function saveIntents(
  context: SyncContext,
  db: Db,
  found: readonly WriteToPlan[],
  call: number,
): Promise<PlannedWrite[]> {
  const isEchoing = ({ key, unreadable }: WriteToPlan) => !unreadable && expectsEcho(context, key.table);
  const echoing = found.filter(isEchoing);
  const intents = echoing.map(({ key, method, fields, row, known }) => ({
    key,
    method,
    fields,
    row,
    before: known.intents,
  }));
  const numbers = echoing.length > 0 ? await addIntents(db, context.stateId, call, intents) : [];
  // Not later: after a kill during the call, the next run may find nothing left to send.
  const put = found.filter(({ method }) => method === 'put');
  await wakeDependents(
    db,
    context.stateId,
    put.map(({ key }) => key),
  );
  let saved = 0;
  return found.map((write) => {
    const { key, method, fields, keptFiles, helium, row, known, held, unreadable } = write;
    const intentId = isEchoing(write) ? (numbers[saved++] ?? 0) : 0;
    return { key, method, fields, keptFiles, helium, row, known, held, unreadable, intentId };
  });
}

/**
 * The entries of the change log to search for the deletions of a page, which are among the next
 * ones.
 */
const maxSearchedEntries = 10 * pageSize;

type DeletedRecord = Pick<PlannedWrite, 'key' | 'known'>;

/** Stores when the rows were deleted: by Helium's logs, else when it was first seen. */
async function saveDeletionTimes(
  context: SyncContext,
  db: Db,
  deleted: readonly DeletedRecord[],
  { nowMs, changeLogCursor }: { readonly nowMs: number; readonly changeLogCursor: string },
): Promise<void> {
  const keys = deleted.map(({ key }) => key);
  const times = await context.helium.readDeletionTimes(db, keys, {
    cursor: changeLogCursor,
    limit: maxSearchedEntries,
  });
  const changes = deleted.map(({ key, known }) => {
    // While Journey has the record and we did not send it again, a known deletion is this one.
    const isSentAgain = known.journey === null || known.intents.at(-1)?.method === 'put';
    const firstSeenMs = isSentAgain ? null : known.deletedAtMs;
    return { ...known, key, deletedAtMs: times.get(key) ?? firstSeenMs ?? nowMs };
  });
  await saveRecords(db, context.stateId, changes);
}

function orderWrites<One extends Pick<PlannedWrite, 'key' | 'method'>>(
  context: SyncContext,
  found: readonly One[],
): One[] {
  const tableOrder = new Map(context.mapping.objects.map(({ table }, index) => [table, index + 1]));
  const rank = ({ key, method }: One) => {
    const at = tableOrder.get(key.table) ?? 0;
    return method === 'delete' ? 1_000_000 - at : at;
  };
  return [...found].sort((a, b) => rank(a) - rank(b));
}
