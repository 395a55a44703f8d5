/** Merges the edits of a page into their locked rows, and writes these. */
import type { Db, HeliumWrite, WriteOptions } from '../../helium/helium-gateway.ts';
import type { Waiting } from '../../helium/limit-waits.ts';
import type { HeliumBlob } from '../../record/blob.ts';
import { areFieldsEqual, changedFields } from '../../record/fields.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import { getDelayMs } from '../../record/waiting-file.ts';
import type { RecordFiles } from '../../sync-state/waiting-files.store.ts';
import { dropLosers, type KeptLoser, keepLosers } from '../files/book/kept.ts';
import { findFileChanges, findRequiredFiles, nameFiles, track, withoutFiles } from '../files/book/waiting.ts';
import { verifyHelium } from '../restore/notice/check-helium.ts';
import type { SyncContext } from '../state/context.ts';
import { lockRowsByKey } from '../state/rows-by-key.ts';
import { readUntouched } from '../state/untouched-columns.ts';
import { readEditTimes } from './merger/edit-times.ts';
import type { MergedEntry, MergeOutcome, RecordEntries } from './merger/merged-entry.ts';
import { readConflicts } from './merger/read-conflicts.ts';
import { deferEntries, mergeEntries } from './merger.ts';
import { type PageStep, planStep } from './writer/ring-step.ts';

export interface WrittenEdits {
  readonly written: readonly RecordKey[];
  readonly merged: readonly MergedEntry[];
  readonly outcomes: KeyMap<MergeOutcome>;
  readonly conflicts: Awaited<ReturnType<typeof readConflicts>>;
  /** Helium's files that were overwritten. */
  readonly losers: readonly KeptLoser[];
  /** The records whose entries name files that Helium lacks, without these. */
  readonly withoutBytes: KeyMap<RecordEntries>;
  /** Whether a row got the value of another one for now; see `writer/ring-step.ts`. */
  readonly isStepTaken: boolean;
}

export const noWrites: WrittenEdits = {
  written: [],
  merged: [],
  outcomes: new KeyMap(),
  conflicts: [],
  losers: [],
  withoutBytes: new KeyMap(),
  isStepTaken: false,
};

interface EditsOfPage {
  readonly edited: readonly RecordEntries[];
  readonly waiting: KeyMap<RecordFiles>;
  readonly step: PageStep | undefined;
}

/**
 * Merges records into their rows and writes these. A record whose row cannot be locked or written
 * now is deferred.
 */
export async function writeEdits(
  context: SyncContext,
  db: Db,
  { edited, waiting, step: planned }: EditsOfPage,
  cursor: string,
  options: WriteOptions,
): Promise<WrittenEdits> {
  const { records, merged, withoutBytes } = mergeAll(context, edited, await lockAndMerge(context, db, edited, cursor));
  const outcomes = new KeyMap<MergeOutcome>();
  const changed = merged.filter((one, index) => {
    if (areFieldsEqual(one.rowAfter?.fields ?? null, one.row?.fields ?? null)) return false;
    const record = records[index];
    const files = record && track(context, record, waiting.get(one.key))?.files;
    const missing = files ? findRequiredFiles(context, one, files) : [];
    if (missing.length > 0) outcomes.set(one.key, { status: 'without-file', columns: missing });
    return missing.length === 0;
  });
  const conflicts = await readConflicts(context, db, merged);
  const { losers, unkept } = await keepAllLosers(context, db, changed);
  const step = planned && (await planStep(context, db, merged, planned));
  const writes = changed
    .filter(({ key }) => !unkept.has(key))
    .map((one) => planHeliumWrite(one.key === step?.key ? { ...one, rowAfter: step.rowAfter } : one));
  const results = writes.length === 0 ? [] : await context.helium.write(db, context.mapping.objects, writes, options);
  const locked = new KeyMap<Waiting>();
  let isStepTaken = false;
  for (const [index, { key }] of writes.entries()) {
    const outcome = results[index];
    if (planned && key === step?.key) {
      isStepTaken = outcome?.status === 'written';
      locked.set(key, { status: 'waiting', reason: steppedReason, blockedBy: planned.blockedBy });
    } else if (outcome?.status === 'waiting') locked.set(key, outcome);
    else if (outcome) outcomes.set(key, outcome);
  }
  const deferred = records.flatMap((record, index) => {
    const noRoom = unkept.get(record.key);
    const lock = locked.get(record.key);
    const reason = noRoom ?? lock?.reason;
    if (reason === undefined) return [];
    const one = deferEntries(context, record, merged[index]?.row ?? null, reason);
    if (noRoom !== undefined) return [{ ...one, retryMs: getRetryMs(context, one) }];
    if (!lock?.blockedBy) return [one];
    const base = isStepTaken && record.key === step?.key ? { ...one.base, ...step.values } : one.base;
    return [{ ...one, base, blockedBy: lock.blockedBy, ...(options.leavesBlocked && { retryMs: maxBlockedMs }) }];
  });
  const isDeferred = ({ key }: { readonly key: RecordKey }) => unkept.has(key) || locked.has(key);
  const isWritten = ({ key }: { readonly key: RecordKey }) => outcomes.get(key)?.status === 'written';
  await dropLosers(
    db,
    losers.filter((one) => !isWritten(one)),
  );
  return {
    written: writes.filter(isWritten).map(({ key }) => key),
    merged: [...merged.filter((one) => !isDeferred(one)), ...deferred],
    outcomes,
    // Those of deferred entries are found again when these are merged.
    conflicts: [
      ...conflicts.filter((one) => !isDeferred(one)),
      ...deferred.flatMap(({ key, conflicts }) => conflicts.map((conflict) => ({ key, conflict }))),
    ],
    losers: losers.filter(isWritten),
    withoutBytes,
    isStepTaken,
  };
}

const steppedReason = 'It gets its value of a unique key when the other records that exchange values have theirs.';

/** Merges records, those of which Helium lacks the files without these. */
function mergeAll(
  context: SyncContext,
  edited: readonly RecordEntries[],
  merge: (record: RecordEntries) => MergedEntry,
): {
  readonly records: readonly RecordEntries[];
  readonly merged: readonly MergedEntry[];
  readonly withoutBytes: KeyMap<RecordEntries>;
} {
  const withoutBytes = new KeyMap<RecordEntries>();
  const merged = edited.map((record) => {
    const one = merge(record);
    const columns = findFileChanges(context, one);
    if (columns.length === 0) return one;
    const rest = withoutFiles(record, columns);
    withoutBytes.set(record.key, rest);
    return merge(rest);
  });
  return { records: edited.map((record) => withoutBytes.get(record.key) ?? record), merged, withoutBytes };
}

/**
 * Keeps Helium's files that lose a conflict. `unkept` holds why those of a record cannot be kept.
 */
async function keepAllLosers(
  context: SyncContext,
  db: Db,
  changed: readonly MergedEntry[],
): Promise<{ readonly losers: readonly KeptLoser[]; readonly unkept: KeyMap<string> }> {
  const losers: KeptLoser[] = [];
  const unkept = new KeyMap<string>();
  for (const one of changed.filter(({ conflicts }) => conflicts.length > 0)) {
    const result = await keepLosers(context, db, one);
    if ('kept' in result) losers.push(...result.kept);
    else unkept.set(one.key, `Both sides changed it, and its files that lose cannot be kept. ${result.problem}`);
  }
  return { losers, unkept };
}

/** Records that wait for a value are tried when it may be free, or when the op-log was read. */
const maxBlockedMs = 600_000;

/** Operators expect records that wait to be retried at least this often. */
const maxRoomDelayMs = 60_000;

/** Without room, another attempt within a second would be in vain. */
function getRetryMs({ fileBackoff }: SyncContext, { held }: MergedEntry): number {
  const maxMs = Math.min(fileBackoff.maxMs, maxRoomDelayMs);
  return getDelayMs({ ...fileBackoff, maxMs }, held?.state === 'waiting' ? held.attempts : 0);
}

/** Locks the rows of records, and returns what merges each of these into its row. */
export async function lockAndMerge(
  context: SyncContext,
  db: Db,
  records: readonly RecordEntries[],
  cursor: string,
): Promise<(record: RecordEntries) => MergedEntry> {
  const { rows, busy } = await lockRowsByKey(
    context,
    db,
    records.map(({ key }) => key),
  );
  // After the rows were read, so that nothing is merged that a restore did to them.
  await verifyHelium(context, db);
  const ready = records.filter(({ key }) => !busy.has(key));
  const times = await readEditTimes(context, db, ready, rows, cursor);
  const bases = ready.map(({ key, known, held }) => ({ key, base: held ? held.base : known.journey }));
  const untouched = await readUntouched(context, db, bases, rows);
  return (record) => {
    const { key } = record;
    const locked = busy.get(key);
    if (locked) {
      const named = nameFiles(context, record, locked.row);
      return deferEntries(context, named.record, named.row, locked.reason);
    }
    const deletedAtMs = times.deletionTimes.get(key) ?? null;
    const isMissingUnlogged = times.unlogged.has(key);
    const named = nameFiles(context, record, rows.get(key) ?? null);
    const { transactionTimes, nowMs } = times;
    return mergeEntries(context, named.record, named.row, {
      transactionTimes,
      deletedAtMs,
      isMissingUnlogged,
      nowMs,
      untouched: untouched.get(key) ?? [],
    });
  };
}

/** @param blobs the bytes of the files that change, by column */
export function planHeliumWrite(
  { key, row, rowAfter, changedAtMs }: MergedEntry,
  blobs: Readonly<Record<string, HeliumBlob>> = {},
): HeliumWrite {
  const fields = rowAfter && (row ? changedFields(row.fields, rowAfter.fields) : rowAfter.fields);
  return { key, fields, isInsert: row === null, changedAtMs: changedAtMs ?? 0, blobs };
}
