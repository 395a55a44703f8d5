/**
 * Journey → Helium: applies one page of the op-log in one transaction, with rows, record states,
 * held records, conflicts and the cursor. If the process dies, the page is either applied or not
 * started.
 *
 *   entries ─▶ all echoes of our writes? consumed
 *         └──▶ edits ─▶ merged into Helium's locked row ─▶ written, parked or rejected
 *                  └──▶ another session has locked a row they need ─▶ they wait
 */

import type { Db, HeliumWrite } from '../../helium/helium-gateway.ts';
import { withLimitedWaits } from '../../helium/limit-waits.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { HeliumBlob } from '../../record/blob.ts';
import { areFieldsEqual, changedFields } from '../../record/fields.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import { getDelayMs } from '../../record/waiting-file.ts';
import { readHeld } from '../../sync-state/held-records.store.ts';
import { addLostFiles } from '../../sync-state/lost-files.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import type { RunChange } from '../../sync-state/runs.store.ts';
import { type RecordFiles, readWaitingFiles } from '../../sync-state/waiting-files.store.ts';
import { findObjectMap, inPageTransaction, type SyncContext } from '../context/sync-context.ts';
import { hasFiles } from '../shared/has-files.ts';
import { lockRowsByKey } from '../shared/rows-by-key.ts';
import { saveConflicts } from '../shared/save-conflicts.ts';
import { verifyHelium } from '../verify/verify-helium.ts';
import { readEditTimes } from './edit-times.ts';
import { dropLosers, type KeptLoser, keepLosers, linkLosers } from './keep-losers.ts';
import { findLostFiles, releaseReplacedFiles, toLostFile } from './lost-files.ts';
import {
  deferEntries,
  type IsAfter,
  type MergedEntry,
  mergeEchoes,
  mergeEntries,
  newEntries,
  type RecordEntries,
} from './merge-entries.ts';
import { findFileChanges, findRequiredFiles, nameFiles, saveFiles, track, withoutFiles } from './page-files.ts';
import { readConflicts } from './read-conflicts.ts';
import { type MergeOutcome, recordOutcomes } from './record-outcomes.ts';

export interface EntryPage extends RunChange {
  readonly entries: readonly JourneyEntry[];
  /** The cursor this page was read behind. If it has moved since, the page is rejected. */
  readonly readBehind?: string;
  /** Whether the entries come from a listing, which may be newer than the op-log was read to. */
  readonly isListing?: boolean;
  /** Whether an entry of the op-log was written after everything that an intent did. */
  readonly isAfter?: IsAfter;
}

export interface ApplyResult {
  /** The records that were written. */
  readonly written: readonly RecordKey[];
  readonly echoes: number;
  readonly held: number;
  /** How many of the records held before are free now. */
  readonly released: number;
  readonly conflicts: number;
  /** How many files of these records wait now, or did before. */
  readonly waitingFiles: number;
}

const noChange: ApplyResult = { written: [], echoes: 0, held: 0, released: 0, conflicts: 0, waitingFiles: 0 };

/** Applies a page and moves the cursor in one transaction. */
export function applyPage(context: SyncContext, page: EntryPage): Promise<ApplyResult> {
  const scope = { direction: 'journey-to-helium' as const, keys: page.entries.map(({ key }) => key) };
  return inPageTransaction(context, scope, async (db, run) => {
    // Starting again from the saved cursor is better than skipping entries.
    if (page.readBehind !== undefined && run.opLogCursor !== page.readBehind)
      throw new Error(
        `A page was read behind op-log entry ${page.readBehind}, but ${run.opLogCursor} is the last applied.`,
      );
    const applied = page.entries.length === 0 ? noChange : await applyMerged(context, db, page, run.changeLogCursor);
    return { result: applied, change: { ...page, ...(await findOwnPoint(context, db, applied)) } };
  });
}

/**
 * Where Helium's changes are not read, the last entry of the change log that we wrote shows later
 * whether Helium was restored.
 */
async function findOwnPoint(context: SyncContext, db: Db, { written }: ApplyResult): Promise<RunChange> {
  if (written.length === 0 || context.mapping.objects.some(({ toJourney }) => toJourney)) return {};
  const changeLogPoint = await context.helium.readOwnPoint(db);
  return changeLogPoint ? { changeLogPoint } : {};
}

/** @param cursor the position in Helium's change log */
async function applyMerged(context: SyncContext, db: Db, page: EntryPage, cursor: string): Promise<ApplyResult> {
  const { isListing = false } = page;
  const withFiles = page.entries.map(({ key }) => key).filter(({ table }) => hasFiles(context, table));
  const waiting = await readWaitingFiles(db, context.stateId, withFiles);
  const records = await readNewEntries(context, db, page, waiting);
  await releaseReplacedFiles(context, db, records, withFiles);
  const echoes = records.map((record) => (isListing ? undefined : mergeEchoes(record)));
  const edited = records.filter((_, index) => !echoes[index]);
  const edits =
    edited.length === 0 ? noWrites : await withLimitedWaits(db, () => write(context, db, { edited, waiting }, cursor));
  const { written, outcomes } = edits;
  const tracked = records.map((record) => edits.withoutBytes.get(record.key) ?? record);
  const files = await saveFiles(context, db, tracked, waiting);
  const merged = [...echoes.filter((one) => one !== undefined), ...edits.merged];
  const conflicts = [...edits.conflicts, ...files.replaced];
  const saved = await saveConflicts(context, db, conflicts);
  await linkLosers(db, edits.losers, saved);
  await addLostFiles(db, context.stateId, [
    ...files.replaced.map((one) => toLostFile(one, saved)),
    ...findLostFiles(context, { conflicts: edits.conflicts, records: tracked, merged: edits.merged, waiting }, saved),
  ]);
  const { held, released } = await recordOutcomes(context, db, merged, outcomes, isListing);
  return {
    written,
    held,
    released,
    echoes: merged.reduce((sum, { echoes }) => sum + echoes, 0),
    conflicts: conflicts.length,
    waitingFiles: files.count,
  };
}

/** Returns the records that have something new in this page, each once. */
async function readNewEntries(
  context: SyncContext,
  db: Db,
  { entries, isListing = false, readBehind, isAfter }: EntryPage,
  waiting: KeyMap<RecordFiles>,
): Promise<RecordEntries[]> {
  const entriesByKey = new KeyMap<JourneyEntry[]>();
  const keys: RecordKey[] = [];
  for (const entry of entries) {
    const others = entriesByKey.get(entry.key);
    if (others) {
      others.push(entry);
      continue;
    }
    entriesByKey.set(entry.key, [entry]);
    keys.push(entry.key);
  }
  const known = await readRecords(db, context.stateId, keys);
  const held = (await readHeld(db, context.stateId, keys))['journey-to-helium'];
  return keys.flatMap((key): RecordEntries[] => {
    const record: RecordEntries = {
      key,
      entries: entriesByKey.get(key) ?? [],
      known: known.get(key),
      held: held.get(key),
      isListed: isListing,
      isAfter,
    };
    const recordEntries = readBehind === undefined ? record.entries : newEntries(context, record, waiting.get(key));
    return recordEntries.length === 0 ? [] : [{ ...record, entries: recordEntries }];
  });
}

interface WrittenEdits {
  readonly written: readonly RecordKey[];
  readonly merged: readonly MergedEntry[];
  readonly outcomes: KeyMap<MergeOutcome>;
  readonly conflicts: Awaited<ReturnType<typeof readConflicts>>;
  /** Helium's files that were overwritten. */
  readonly losers: readonly KeptLoser[];
  /** The records whose entries name files that Helium lacks, without these. */
  readonly withoutBytes: KeyMap<RecordEntries>;
}

const noWrites: WrittenEdits = {
  written: [],
  merged: [],
  outcomes: new KeyMap(),
  conflicts: [],
  losers: [],
  withoutBytes: new KeyMap(),
};

/**
 * Merges records into their rows and writes these. A record whose row cannot be locked or written
 * now is deferred.
 */
async function write(
  context: SyncContext,
  db: Db,
  { edited, waiting }: { readonly edited: readonly RecordEntries[]; readonly waiting: KeyMap<RecordFiles> },
  cursor: string,
): Promise<WrittenEdits> {
  const merge = await lockAndMerge(context, db, edited, cursor);
  const withoutBytes = new KeyMap<RecordEntries>();
  const merged = edited.map((record) => {
    const one = merge(record);
    const columns = findFileChanges(context, one);
    if (columns.length === 0) return one;
    const rest = withoutFiles(record, columns);
    withoutBytes.set(record.key, rest);
    return merge(rest);
  });
  const records = edited.map((record) => withoutBytes.get(record.key) ?? record);
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
  const reasons = new KeyMap<string>();
  const losers: KeptLoser[] = [];
  for (const one of changed.filter((record) => record.conflicts.length > 0)) {
    const result = await keepLosers(context, db, one);
    if ('kept' in result) losers.push(...result.kept);
    else reasons.set(one.key, `Both sides changed it, and its files that lose cannot be kept. ${result.problem}`);
  }
  const unkept = new Set(changed.filter(({ key }) => reasons.has(key)));
  const writes = changed.filter((one) => !unkept.has(one)).map((one) => planHeliumWrite(one));
  const results = writes.length === 0 ? [] : await context.helium.write(db, context.mapping.objects, writes);
  for (const [index, { key }] of writes.entries()) {
    const outcome = results[index];
    if (outcome?.status === 'waiting') reasons.set(key, outcome.reason);
    else if (outcome) outcomes.set(key, outcome);
  }
  const deferred = records.flatMap((record, index) => {
    const reason = reasons.get(record.key);
    if (reason === undefined) return [];
    const one = deferEntries(context, record, merged[index]?.row ?? null, reason);
    return [[...unkept].some(({ key }) => key === record.key) ? { ...one, retryMs: getRetryMs(context, one) } : one];
  });
  const isOverwritten = ({ key }: KeptLoser) => outcomes.get(key)?.status === 'written';
  await dropLosers(
    db,
    losers.filter((one) => !isOverwritten(one)),
  );
  return {
    written: writes.map(({ key }) => key).filter((key) => outcomes.get(key)?.status === 'written'),
    merged: [...merged.filter(({ key }) => !reasons.has(key)), ...deferred],
    outcomes,
    // Those of deferred entries are found again when these are merged.
    conflicts: [
      ...conflicts.filter(({ key }) => !reasons.has(key)),
      ...deferred.flatMap(({ key, conflicts }) => conflicts.map((conflict) => ({ key, conflict }))),
    ],
    losers: losers.filter(isOverwritten),
    withoutBytes,
  };
}

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
    return mergeEntries(context, named.record, named.row, { ...times, deletedAtMs, isMissingUnlogged });
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

/** Whether Journey's objects of this table are synced to Helium. */
export function isSyncedToHelium(context: Pick<SyncContext, 'mapping'>, { table }: RecordKey): boolean {
  return findObjectMap(context, table)?.toHelium ?? false;
}
