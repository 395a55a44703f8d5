/**
 * Journey → Helium: applies one page of the op-log in one transaction, with rows, record states,
 * held records, conflicts and the cursor. If the process dies, the page is either applied or not
 * started.
 *
 *   entries ─▶ all echoes of our writes? consumed
 *         └──▶ edits ─▶ merged into Helium's locked row ─▶ written, parked or rejected
 */

import type { Db, HeliumOutcome, HeliumWrite } from '../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { HeliumBlob } from '../../record/blob.ts';
import { areFieldsEqual, changedFields } from '../../record/fields.ts';
import { KeyMap, type RecordKey } from '../../record/record-key.ts';
import { readHeld } from '../../sync-state/held-records.store.ts';
import { readRecords } from '../../sync-state/records.store.ts';
import { type RunChange, saveRun } from '../../sync-state/runs.store.ts';
import { readRowsByKey } from '../shared/read-rows-by-key.ts';
import { saveConflicts } from '../shared/save-conflicts.ts';
import { findObjectMap, type SyncContext, withLockedState } from '../shared/sync-context.ts';
import { verifyHelium } from '../shared/verify-helium.ts';
import { readEditTimes } from './edit-times.ts';
import {
  type IsAfter,
  type MergedEntry,
  mergeEchoes,
  mergeEntries,
  newEntries,
  type RecordEntries,
} from './merge-entries.ts';
import { readConflicts } from './read-conflicts.ts';
import { recordOutcomes } from './record-outcomes.ts';

export interface EntryPage extends RunChange {
  readonly entries: readonly JourneyEntry[];
  /** The bytes of blobs by their hash. */
  readonly blobs: ReadonlyMap<string, HeliumBlob>;
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
}

/** Nothing was applied: these files, known by their hashes, must be downloaded again. */
interface MissingFiles {
  readonly missingFiles: readonly string[];
}

const noChange: ApplyResult = { written: [], echoes: 0, held: 0, released: 0, conflicts: 0 };

/** Applies a page and moves the cursor in one transaction. */
export function applyPage(context: SyncContext, page: EntryPage): Promise<ApplyResult | MissingFiles> {
  return withLockedState(context, async (db, run) => {
    // Starting again from the saved cursor is better than skipping entries.
    if (page.readBehind !== undefined && run.opLogCursor !== page.readBehind)
      throw new Error(
        `A page was read behind op-log entry ${page.readBehind}, but ${run.opLogCursor} is the last applied.`,
      );
    const applied = page.entries.length === 0 ? noChange : await applyMerged(context, db, page, run.changeLogCursor);
    if ('missingFiles' in applied) return applied;
    await saveRun(db, context.stateId, { ...page, ...(await findOwnPoint(context, db, applied)) });
    return applied;
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
async function applyMerged(
  context: SyncContext,
  db: Db,
  page: EntryPage,
  cursor: string,
): Promise<ApplyResult | MissingFiles> {
  const { isListing = false } = page;
  const merged = await mergeAll(context, db, page, cursor);
  const changed = merged.filter(({ row, rowAfter }) => !areFieldsEqual(rowAfter?.fields ?? null, row?.fields ?? null));
  const plans = changed.map((one) => planHeliumWrite(context, page, one));
  const missingFiles = plans.flatMap((plan) => plan.missingFiles);
  // Nothing has been written to the database before this line.
  if (missingFiles.length > 0) return { missingFiles };
  const conflicts = await readConflicts(context, db, merged);
  const writes = plans.map(({ write }) => write);
  const results = writes.length === 0 ? [] : await context.helium.write(db, context.mapping.objects, writes);
  const outcomes = new KeyMap<HeliumOutcome>();
  for (const [index, { key }] of writes.entries()) {
    const outcome = results[index];
    if (outcome) outcomes.set(key, outcome);
  }
  await saveConflicts(context, db, conflicts);
  const { held, released } = await recordOutcomes(context, db, merged, outcomes, isListing);
  return {
    written: writes.filter((_, index) => results[index]?.status === 'written').map(({ key }) => key),
    held,
    released,
    echoes: merged.reduce((sum, { echoes }) => sum + echoes, 0),
    conflicts: conflicts.length,
  };
}

/** Merges each record that has something new in this page, once. */
async function mergeAll(
  context: SyncContext,
  db: Db,
  { entries, isListing = false, readBehind, isAfter }: EntryPage,
  cursor: string,
): Promise<MergedEntry[]> {
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
  const records = keys.flatMap((key): RecordEntries[] => {
    const record: RecordEntries = {
      key,
      entries: entriesByKey.get(key) ?? [],
      known: known.get(key),
      held: held.get(key),
      isListed: isListing,
      isAfter,
    };
    const recordEntries = readBehind === undefined ? record.entries : newEntries(context, record);
    return recordEntries.length === 0 ? [] : [{ ...record, entries: recordEntries }];
  });
  const echoes = records.map((record) => (isListing ? undefined : mergeEchoes(record)));
  const edited = records.filter((_, index) => !echoes[index]);
  const editedKeys = edited.map(({ key }) => key);
  const rows = await readRowsByKey(context, db, editedKeys, true);
  // After the rows were read, so that nothing is merged that a restore did to them.
  if (editedKeys.length > 0) await verifyHelium(context, db);
  const times = await readEditTimes(context, db, edited, rows, cursor);
  return records.map((record, index) => {
    const echo = echoes[index];
    if (echo) return echo;
    const { key } = record;
    const deletedAtMs = times.deletionTimes.get(key) ?? null;
    const isMissingUnlogged = times.unlogged.has(key);
    return mergeEntries(context, record, rows.get(key) ?? null, { ...times, deletedAtMs, isMissingUnlogged });
  });
}

function planHeliumWrite(
  context: SyncContext,
  page: EntryPage,
  { key, row, rowAfter, changedAtMs }: MergedEntry,
): MissingFiles & { readonly write: HeliumWrite } {
  const fields = rowAfter && (row ? changedFields(row.fields, rowAfter.fields) : rowAfter.fields);
  const blobs: Record<string, HeliumBlob> = {};
  const missingFiles: string[] = [];
  for (const { column, kind } of findObjectMap(context, key.table)?.fields ?? []) {
    const value = kind === 'blob' ? fields?.[column] : undefined;
    if (typeof value !== 'string') continue;
    const blob = page.blobs.get(value);
    if (blob) blobs[column] = blob;
    else missingFiles.push(value);
  }
  return { write: { key, fields, isInsert: row === null, changedAtMs: changedAtMs ?? 0, blobs }, missingFiles };
}

/** Whether Journey's objects of this table are synced to Helium. */
export function isSyncedToHelium(context: Pick<SyncContext, 'mapping'>, { table }: RecordKey): boolean {
  return findObjectMap(context, table)?.toHelium ?? false;
}
