/**
 * Plans the writes to Journey for a page of dirty records, and saves them as intents in the same
 * transaction. Where records are unknown, it changes nothing and returns them: Journey is asked
 * outside the transaction (`look-up.ts`), and the page is planned again.
 */

import type { ChangedKey, Db, HeliumRow } from '../../helium/helium-gateway.ts';
import type { JourneyWrite } from '../../journey/journey-gateway.ts';
import { findDecimalTables } from '../../mapping/object-map.ts';
import type { Fields } from '../../record/fields.ts';
import { adoptFiles, withLearnedNames } from '../../record/file-value.ts';
import { toSentRow } from '../../record/helium-times.ts';
import type { KeyMap, RecordKey } from '../../record/record-key.ts';
import { expectedFields, planJourneyWrite, type SentRow } from '../../record/record-state.ts';
import { planSkipped, type SkippedPlan } from '../../record/skipped-record.ts';
import {
  type HeldRow,
  readHeld,
  releaseRecords,
  retrySkipped,
  unreadableKind,
  wakeDependents,
} from '../../sync-state/held-records.store.ts';
import { addIntents, type IntentRef } from '../../sync-state/intents.store.ts';
import { type KnownRecord, readRecords, saveRecords } from '../../sync-state/records.store.ts';
import { saveRounded } from '../../sync-state/rounded-records.store.ts';
import { type FileRef, removeWaitingFiles } from '../../sync-state/waiting-files.store.ts';
import { expectsEcho, findObjectMap, pageSize, type SyncContext } from '../context/sync-context.ts';
import type { UnknownRecord } from '../owners/look-up-queue.ts';
import { hasBlob } from '../shared/has-blob.ts';
import { readRowsByKey } from '../shared/rows-by-key.ts';
import { type LookUpResults, type MergedRecord, mergeFound, saveMerged } from './merge-found.ts';
import { protectFiles, readPageFiles } from './protected-files.ts';

export interface PlannedWrite {
  readonly key: RecordKey;
  readonly method: JourneyWrite['method'];
  readonly fields: Fields;
  readonly helium: Fields | null;
  /** Of a put: Journey's ids of files that wait for Helium, by column. */
  readonly keptFiles?: Readonly<Record<string, string>> | undefined;
  /** When Helium wrote the row; null for a delete. */
  readonly row: SentRow | null;
  readonly known: KnownRecord;
  /** 0 when no echo is expected. */
  readonly intentId: number;
  /** How it was held in this direction. */
  readonly held: HeldRow | undefined;
}

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
}

/** A record to check; of a page of the change log, with what the log names. */
export type KeyToPlan = RecordKey & Partial<Pick<ChangedKey, 'isOnlyUpdated'>>;

/** Returns the intents that were saved. */
export function getIntentRefs(planned: readonly PlannedWrite[]): IntentRef[] {
  return planned.flatMap(({ key, intentId }) => (intentId > 0 ? [{ key, number: intentId }] : []));
}

/** What a page is planned from, besides the records themselves. */
export interface PlanBase extends LookUpResults {
  readonly call: number;
  /** Deletions are searched in the change log after it. */
  readonly changeLogCursor: string;
}

const nothingToSend: WritePlan = {
  planned: [],
  mayChangeCounts: false,
  call: null,
  unknown: [],
  conflicts: 0,
  renamedTables: [],
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
    renamedTables: [...new Set(keysOf(({ isRenamed }) => isRenamed).map(({ table }) => table))],
  };
}

/** Everything that the plan of a page depends on, as of one moment. */
type Page = Awaited<ReturnType<typeof readPage>>;

async function readPage(context: SyncContext, db: Db, keys: readonly KeyToPlan[]) {
  const { stateId } = context;
  return {
    rows: await readRowsByKey(context, db, keys),
    records: await readRecords(db, stateId, keys),
    held: await readHeld(db, stateId, keys),
    files: await readPageFiles(context, db, keys),
  };
}

/** What is to be done for one record. */
interface RecordPlan {
  readonly key: RecordKey;
  readonly known: KnownRecord;
  /** How it was held in this direction. */
  readonly held: HeldRow | undefined;
  /** Nothing is sent while Journey's state waits for Helium. */
  readonly isLeft: boolean;
  readonly isDeletedWhileHeld: boolean;
  /** Journey's state, which an operator skipped, is tried again. */
  readonly isRetried: boolean;
  /** The row is new although the log names no creation. */
  readonly isRenamed: boolean;
  /** When it has to be looked up first. */
  readonly unknown: UnknownRecord | null;
  readonly merged: readonly MergedRecord[];
  readonly droppedFiles: readonly FileRef[];
  readonly write: WriteToPlan | null;
}

type WriteToPlan = Omit<PlannedWrite, 'intentId'>;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Shared, because most records have none. */
const none: readonly never[] = [];

function planRecord(
  context: SyncContext,
  { rows, records, held, files }: Page,
  { key, base, nowMs }: { readonly key: KeyToPlan; readonly base: PlanBase; readonly nowMs: number },
): RecordPlan {
  const row = rows.get(key);
  const waiting = held['journey-to-helium'].get(key);
  const skipped = waiting ? planHeld(waiting, records.get(key), row?.fields ?? null) : null;
  // Without a spread, which would take several times as long for each record.
  const plan: Writable<RecordPlan> = {
    key,
    known: records.get(key),
    held: held['helium-to-journey'].get(key),
    isDeletedWhileHeld: waiting !== undefined && !row,
    isRetried: skipped?.mustTry ?? false,
    isLeft: skipped?.send === null,
    isRenamed: false,
    unknown: null,
    merged: none,
    droppedFiles: none,
    write: null,
  };
  if (plan.isLeft) return plan;
  const own = skipped ? skipped.send : (row?.fields ?? null);
  const record = { key, known: records.find(key), helium: own };
  const lookedUp = mergeFound(context, record, base);
  if (lookedUp === undefined) {
    plan.unknown = { key, hasRow: own !== null };
    return plan;
  }
  const { one, helium } = nameFiles(context, lookedUp, own);
  const isChanged = one.known !== record.known;
  const wanted = planJourneyWrite(one.known, helium);
  const { write, lost, dropped } = protectFiles(files, one, wanted, isChanged);
  plan.isRenamed =
    key.isOnlyUpdated === true && row !== undefined && !record.known && base.completeTables.includes(key.table);
  if (isChanged || lost.length > 0) plan.merged = isChanged ? [one, ...lost] : lost;
  if (dropped.length > 0) plan.droppedFiles = dropped.map((column) => ({ key, column }));
  if (write) {
    const { method, fields, keptFiles } = write;
    const sentRow = row ? toSentRow(one.known, row, fields, nowMs) : null;
    plan.write = { key, method, fields, keptFiles, helium, row: sentRow, known: one.known, held: plan.held };
  }
  return plan;
}

/** Returns which of the records that may have long decimals have some. */
function findRounded(context: SyncContext, keys: readonly RecordKey[], rows: KeyMap<HeliumRow>) {
  const withDecimals = new Set(findDecimalTables(context.mapping));
  return keys
    .filter(({ table }) => withDecimals.has(table))
    .map((key) => ({ key, isRounded: rows.get(key)?.isRounded ?? false }));
}

/**
 * Gives the same file the same value in Helium's row and in what is known of Journey's record,
 * where one of them lacks the name: a name that Helium lacks is no reason to send the file.
 */
function nameFiles(
  context: SyncContext,
  record: MergedRecord,
  row: Fields | null,
): { readonly one: MergedRecord; readonly helium: Fields | null } {
  if (row === null || !hasBlob(context, record.key, row)) return { one: record, helium: row };
  const columns = findObjectMap(context, record.key.table)?.fields ?? [];
  const known = withLearnedNames(columns, record.known, row);
  const one = known === record.known ? record : { ...record, known };
  return { one, helium: adoptFiles(columns, row, [expectedFields(known)]) };
}

/**
 * While Journey's state of a record could not be written to Helium, sending our row would undo it.
 * Only what an operator skipped is planned again when it changes.
 */
function planHeld({ state, kind, base, helium }: HeldRow, { journey }: KnownRecord, row: Fields | null): SkippedPlan {
  if (state !== 'skipped') return { send: null, mustTry: false };
  return planSkipped({ base, tried: helium, journey, isReadable: kind !== unreadableKind }, row);
}

async function saveIntents(
  context: SyncContext,
  db: Db,
  found: readonly WriteToPlan[],
  call: number,
): Promise<PlannedWrite[]> {
  const echoing = found.filter(({ key }) => expectsEcho(context, key.table));
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
  return found.map(({ key, method, fields, keptFiles, helium, row, known, held }) => {
    const intentId = expectsEcho(context, key.table) ? (numbers[saved++] ?? 0) : 0;
    return { key, method, fields, keptFiles, helium, row, known, held, intentId };
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
