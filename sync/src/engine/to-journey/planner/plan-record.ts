/** Plans what is sent to Journey for one record of a page. */
import type { ChangedKey, Db, HeliumRow } from '../../../helium/helium-gateway.ts';
import type { JourneyWrite } from '../../../journey/journey-gateway.ts';
import type { Fields } from '../../../record/fields.ts';
import { adoptFiles, withLearnedNames } from '../../../record/file-value.ts';
import { toSentRow } from '../../../record/helium-times.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import { expectedFields, planJourneyWrite, type SentRow } from '../../../record/record-state.ts';
import { planSkipped, type SkippedPlan } from '../../../record/skipped-record.ts';
import { type HeldRow, readHeld, unreadableKind } from '../../../sync-state/held-records.store.ts';
import { type KnownRecord, readRecords } from '../../../sync-state/records.store.ts';
import type { FileRef } from '../../../sync-state/waiting-files.store.ts';
import { hasBlob } from '../../files/book/has-blob.ts';
import { protectFiles, readPageFiles } from '../../files/book/protected.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';
import type { UnknownRecord } from '../../state/look-ups.ts';
import { readRowsByKey } from '../../state/rows-by-key.ts';
import { readUntouched } from '../../state/untouched-columns.ts';
import { type LookUpResults, type MergedRecord, mergeFound } from './merge-found.ts';

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
  /** Why nothing is sent: Helium cannot read the row. */
  readonly unreadable?: HeliumRow['unreadable'];
}

/** A record to check; of a page of the change log, with what the log names. */
export type KeyToPlan = RecordKey &
  Partial<Pick<ChangedKey, 'isOnlyUpdated'>> & {
    /** Whether it is checked only because it waits. */
    readonly isWaiting?: true;
  };

/** What a page is planned from, besides the records themselves. */
export interface PlanBase extends LookUpResults {
  readonly call: number;
  /** Deletions are searched in the change log after it. */
  readonly changeLogCursor: string;
}

/** Everything that the plan of a page depends on, as of one moment. */
type Page = Awaited<ReturnType<typeof readPage>>;

export async function readPage(context: SyncContext, db: Db, keys: readonly KeyToPlan[]) {
  const { stateId } = context;
  const rows = await readRowsByKey(context, db, keys);
  const records = await readRecords(db, stateId, keys);
  const bases = keys.map((key) => ({ key, base: records.get(key).journey }));
  return {
    rows,
    records,
    untouched: await readUntouched(context, db, bases, rows),
    held: await readHeld(db, stateId, keys),
    files: await readPageFiles(context, db, keys),
  };
}

/** What is to be done for one record. */
export interface RecordPlan {
  readonly key: RecordKey;
  readonly known: KnownRecord;
  /** How it was held in this direction. */
  readonly held: HeldRow | undefined;
  /** Nothing is sent while Journey's state waits for Helium, or after an operator skipped it. */
  readonly isLeft: boolean;
  readonly isDeletedWhileHeld: boolean;
  /** Journey's state, which an operator skipped, is tried again. */
  readonly isRetried: boolean;
  /** The row is new although the log names no creation. */
  readonly isRenamed: boolean;
  /**
   * The log names an id that no row has and that was never created: a row had it for a moment, and
   * what was logged under it is the change of another id.
   */
  readonly isMoved: boolean;
  /** When it has to be looked up first. */
  readonly unknown: UnknownRecord | null;
  readonly merged: readonly MergedRecord[];
  readonly droppedFiles: readonly FileRef[];
  readonly write: WriteToPlan | null;
}

export type WriteToPlan = Omit<PlannedWrite, 'intentId'>;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Shared, because most records have none. */
const none: readonly never[] = [];

export function planRecord(
  context: SyncContext,
  { rows, records, untouched, held, files }: Page,
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
    isMoved: false,
    unknown: null,
    merged: none,
    droppedFiles: none,
    write: null,
  };
  // An operator may have skipped it since it was found to be due.
  if (key.isWaiting && plan.held?.state === 'skipped') plan.isLeft = true;
  if (plan.isLeft) return plan;
  if (row?.unreadable) {
    const { known, held } = plan;
    const { fields: helium, unreadable } = row;
    plan.write = { key, method: 'patch', fields: {}, helium, row: null, known, held, unreadable };
    return plan;
  }
  const own = skipped ? skipped.send : (row?.fields ?? null);
  const record = { key, known: records.find(key), helium: own, untouched: untouched.get(key) ?? none };
  const lookedUp = mergeFound(context, record, base);
  if (lookedUp === undefined) {
    plan.unknown = { key, hasRow: own !== null };
    return plan;
  }
  const { one, helium } = nameFiles(context, lookedUp, own);
  const isChanged = one.known !== record.known;
  const wanted = planJourneyWrite(one.known, helium);
  const { write, lost, dropped } = protectFiles(files, one, wanted, isChanged);
  const isStrange = key.isOnlyUpdated === true && !record.known && base.completeTables.includes(key.table);
  plan.isRenamed = isStrange && row !== undefined;
  plan.isMoved = isStrange && row === undefined;
  if (isChanged || lost.length > 0) plan.merged = isChanged ? [one, ...lost] : lost;
  if (dropped.length > 0) plan.droppedFiles = dropped.map((column) => ({ key, column }));
  if (write) {
    const { method, fields, keptFiles } = write;
    const sentRow = row ? toSentRow(one.known, row, fields, nowMs) : null;
    plan.write = { key, method, fields, keptFiles, helium, row: sentRow, known: one.known, held: plan.held };
  }
  return plan;
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
