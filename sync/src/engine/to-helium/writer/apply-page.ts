/**
 * Journey → Helium: applies one page of the op-log in one transaction, with rows, record states,
 * held records, conflicts and the cursor. If the process dies, the page is either applied or not
 * started.
 *
 *   entries ─▶ all echoes of our writes? consumed
 *         └──▶ edits ─▶ merged into Helium's locked row ─▶ written, parked or rejected
 *                  └──▶ another session has locked a row they need ─▶ they wait
 */

import type { Db } from '../../../helium/helium-gateway.ts';
import { withLimitedWaits } from '../../../helium/limit-waits.ts';
import type { JourneyEntry, UnreadableEntry } from '../../../journey/journey-gateway.ts';
import { KeyMap, type RecordKey } from '../../../record/record-key.ts';
import { moveBlocked } from '../../../sync-state/blocked-records.store.ts';
import { readHeld } from '../../../sync-state/held-records.store.ts';
import { addLostFiles } from '../../../sync-state/lost-files.store.ts';
import { readRecords } from '../../../sync-state/records.store.ts';
import type { RunChange } from '../../../sync-state/runs.store.ts';
import { addToTrail } from '../../../sync-state/trail.store.ts';
import { type RecordFiles, readWaitingFiles } from '../../../sync-state/waiting-files.store.ts';
import { hasFiles } from '../../files/book/has-files.ts';
import { linkLosers } from '../../files/book/kept.ts';
import { findLostFiles, releaseReplacedFiles, toLostFile } from '../../files/book/lost.ts';
import { saveFiles } from '../../files/book/waiting.ts';
import { findObjectMap, inPageTransaction, type SyncContext } from '../../state/context.ts';
import { saveConflicts } from '../../state/save-conflicts.ts';
import type { IsAfter, RecordEntries } from '../merger/merged-entry.ts';
import { newEntries } from '../merger/new-entries.ts';
import { mergeEchoes } from '../merger.ts';
import { listAppliedEvents } from '../receipts/applied-events.ts';
import { holdUnreadable } from '../receipts/hold-unreadable.ts';
import { recordOutcomes } from '../receipts.ts';
import { noWrites, writeEdits } from '../writer.ts';
import type { PageStep } from './ring-step.ts';

export interface EntryPage extends RunChange {
  readonly entries: readonly JourneyEntry[];
  readonly unreadable?: readonly UnreadableEntry[];
  /** The cursor this page was read behind. If it has moved since, the page is rejected. */
  readonly readBehind?: string;
  /** Whether the entries come from a listing, which may be newer than the op-log was read to. */
  readonly isListing?: boolean;
  /** Whether an entry of the op-log was written after everything that an intent did. */
  readonly isAfter?: IsAfter;
  /** Set when the records are a part of a ring that exchanges values of a unique key. */
  readonly step?: PageStep;
}

export interface ApplyResult {
  /** The records that were written. */
  readonly written: readonly RecordKey[];
  readonly echoes: number;
  readonly held: number;
  /** How many of the records held before are free now. */
  readonly released: number;
  readonly conflicts: number;
  /** Whether a record waits for a value of another one that did not before. */
  readonly hasNewBlocked: boolean;
  /** How many files of these records wait now, or did before. */
  readonly waitingFiles: number;
}

const noChange: ApplyResult = {
  written: [],
  echoes: 0,
  held: 0,
  released: 0,
  conflicts: 0,
  hasNewBlocked: false,
  waitingFiles: 0,
};

/** Applies a page and moves the cursor in one transaction. */
export function applyPage(context: SyncContext, page: EntryPage): Promise<ApplyResult> {
  const scope = { direction: 'journey-to-helium' as const, keys: page.entries.map(({ key }) => key) };
  return inPageTransaction(context, scope, async (db, run) => {
    // Starting again from the saved cursor is better than skipping entries.
    if (page.readBehind !== undefined && run.opLogCursor !== page.readBehind)
      throw new Error(
        `A page was read behind op-log entry ${page.readBehind}, but ${run.opLogCursor} is the last applied.`,
      );
    const merged = page.entries.length === 0 ? noChange : await applyMerged(context, db, page, run.changeLogCursor);
    const unreadable = await holdUnreadable(context, db, page.unreadable ?? []);
    const applied = unreadable > 0 ? { ...merged, held: merged.held + unreadable } : merged;
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
    edited.length === 0
      ? noWrites
      : await withLimitedWaits(db, () =>
          writeEdits(context, db, { edited, waiting, step: page.step }, cursor, {
            leavesBlocked: isListing || page.readBehind !== undefined || page.step !== undefined,
          }),
        );
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
  if (edits.isStepTaken && page.step) await moveBlocked(db, context.stateId, page.step);
  const { holds, released, hasNewBlocked } = await recordOutcomes(context, db, merged, outcomes, isListing);
  await addToTrail(db, context.stateId, {
    version: page.opLogCursor ?? null,
    events: listAppliedEvents(edits.merged, holds),
  });
  return {
    written,
    held: holds.size,
    released,
    hasNewBlocked,
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
    const all = entriesByKey.get(key) ?? [];
    const record: RecordEntries = {
      key,
      entries: all,
      known: known.get(key),
      held: held.get(key),
      isListed: isListing,
      isAfter,
    };
    const entries = readBehind === undefined ? all : newEntries(context, record, waiting.get(key));
    if (entries.length === 0) return [];
    return [entries === all ? record : { ...record, entries }];
  });
}

/** Whether Journey's objects of this table are synced to Helium. */
export function isSyncedToHelium(context: Pick<SyncContext, 'mapping'>, { table }: RecordKey): boolean {
  return findObjectMap(context, table)?.toHelium ?? false;
}
