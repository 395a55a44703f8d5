/**
 * Records the outcome of each record of a page: its known state, whether it is held, and whether
 * the other direction reads it again. In each table, the first row that matches applies.
 *
 *   the record is          when
 *   held, dead             its last entry has a value that Helium cannot store
 *   held, waiting          its row, or one that the write needs, is locked by another session
 *   held, waiting          another record has a value of a unique key that it is to get, and was not tried with it
 *   held, waiting          a file of its row that loses a conflict cannot be kept
 *   held, waiting          PostgreSQL rejected the row with the code of a failure that ends
 *   held, skipped          a trigger of the app cancels its deletion, as apps do that mark rows instead
 *   held, waiting          PostgreSQL rejects each such write of its table: see refused-writes.ts
 *   held, dead             PostgreSQL rejected the row otherwise
 *   held, parked           the row references parents that Helium does not have
 *   held, waiting          Helium requires a file of it that is not there yet
 *   held, skipped          instead of the above, while what an operator skipped is unchanged in Journey
 *   free                   otherwise: the row was written, or needed no change
 *
 *   a held record's base, which is Journey's last state that Helium has, is
 *   the state after the page     its entries were merged, the row is up to date, and at least one entry could be read
 *   as before the page           otherwise; our writes that the page shows are added
 *
 *   a free record is       when
 *   read again             the other direction found it missing in Journey
 *   as the merge decides   it was not held
 *   read again             one of our writes is unanswered: while held, it was not sent again
 *   read again             Helium and Journey differ
 *   not read again         otherwise
 */

import { keptRowKind } from '@portal/contract/sync/records';
import { uniqueViolation } from '../../helium/content-refusal.ts';
import type { Db } from '../../helium/helium-gateway.ts';
import { takenKinds } from '../../helium/unique-keys.ts';
import { areFieldsEqual, type Fields } from '../../record/fields.ts';
import { KeyMap, keyText, type RecordKey } from '../../record/record-key.ts';
import { expectedFields, type Intent } from '../../record/record-state.ts';
import { retryBlocked } from '../../sync-state/blocked-records.store.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import {
  fileKind,
  type Hold,
  holdRecords,
  releaseDeadLetters,
  releaseRecords,
  retryKinds,
  unreadableKind,
  wakeDependents,
} from '../../sync-state/held-records.store.ts';
import { type IntentRef, type NarrowedIntent, narrowIntents, removeIntents } from '../../sync-state/intents.store.ts';
import { saveRecords } from '../../sync-state/records.store.ts';
import { pageSize, type SyncContext } from '../state/context.ts';
import type { MergedEntry, MergeOutcome } from './merger/merged-entry.ts';
import { isAlwaysRefused, pauseRefused } from './receipts/refused-writes.ts';

/** The kind of records held because another session has locked a row. */
const lockedKind = 'locked row';

/** The kind of records held because files of theirs that lose a conflict cannot be kept. */
const roomKind = 'no room';

/**
 * Returns the records that are held now, how many of those held before are free, and whether one
 * waits for a value of another that did not before.
 */
export async function recordOutcomes(
  context: SyncContext,
  db: Db,
  merged: readonly MergedEntry[],
  outcomes: KeyMap<MergeOutcome>,
  isListing: boolean,
): Promise<{ readonly holds: KeyMap<Hold>; readonly released: number; readonly hasNewBlocked: boolean }> {
  const holds = new KeyMap<Hold>();
  for (const one of merged) {
    const found = findHold(one, outcomes.get(one.key));
    if (found) holds.set(one.key, found);
  }
  const refusedWrites = pauseRefused(context, merged, outcomes, holds);
  const held = [...holds.values()];
  const free = merged.filter(({ key }) => !holds.has(key));
  const released = free.filter((one) => one.held).map(getKey);
  await holdRecords(db, context.stateId, 'journey-to-helium', held);
  for (const write of refusedWrites) await releaseDeadLetters(db, context.stateId, write);
  await retryKinds(db, context.stateId, findAcceptedKinds(free));
  await releaseRecords(db, context.stateId, 'journey-to-helium', released);
  await wakeDependents(db, context.stateId, free.filter(({ row, rowAfter }) => !row && rowAfter).map(getKey));
  const changed = free.filter(({ row, rowAfter }) => row && rowAfter !== row).map(getKey);
  await retryBlocked(db, context.stateId, changed, pageSize);
  await saveRecords(
    db,
    context.stateId,
    merged.map(({ key, known, state, changedAtMs }) => {
      // A row that was not written is as it was before.
      const { tstampMs, edits } = isWritten(outcomes.get(key)) ? state : known;
      return {
        key,
        journey: state.journey,
        deletedAtMs: state.deletedAtMs,
        tstampMs,
        edits,
        // A deleted object has no change time by Journey's clock.
        listedAtMs:
          isListing && state.journey !== null ? Math.max(changedAtMs ?? 0, known.listedAtMs ?? 0) : known.listedAtMs,
        missing: null,
      };
    }),
  );
  await removeIntents(db, context.stateId, merged.flatMap(getConsumedIntents));
  await narrowIntents(db, context.stateId, merged.flatMap(getConfirmedIntents));
  await markDirty(db, context.stateId, free.filter(mustReadAgain).map(getKey));
  const wasWaiting = new Set(merged.filter((one) => one.held?.state === 'waiting').map(({ key }) => keyText(key)));
  for (const { key, state, kind, reason } of held) {
    // A waiting record is retried about once a second, and files have their own list.
    // One that waits for a value is logged if it is rejected.
    if (state === 'skipped' || kind === fileKind || (state === 'waiting' && wasWaiting.has(keyText(key)))) continue;
    if (state === 'waiting' && (takenKinds.includes(kind) || isAlwaysRefused(kind))) continue;
    context.log(
      state === 'dead' ? 'SEVERE' : 'WARNING',
      `${keyText(key)} ${state === 'dead' ? 'was rejected by Helium' : 'is waiting'}: ${reason}`,
    );
  }
  const wasKept = new Set(merged.filter((one) => one.held?.kind === keptRowKind).map(({ key }) => keyText(key)));
  logKeptRows(
    context,
    held.filter(({ key, kind }) => kind === keptRowKind && !wasKept.has(keyText(key))),
  );
  const hasNewBlocked = merged.some((one) => takenKinds.includes(holds.get(one.key)?.kind ?? '') && isNew(one));
  return { holds, released: released.length, hasNewBlocked };
}

/** Logs each table once: an app that marks its rows instead of deleting them does so for all. */
function logKeptRows({ log }: SyncContext, kept: readonly Hold[]): void {
  const counts = new Map<string, number>();
  for (const { key } of kept) counts.set(key.table, (counts.get(key.table) ?? 0) + 1);
  for (const [table, count] of counts)
    log(
      'WARNING',
      `${table}: Helium keeps ${count} ${count === 1 ? 'row' : 'rows'} that devices have deleted, because a trigger of the app cancels their deletion. They are listed as skipped until they change.`,
    );
}

/** Returns the kinds of records that waited because Helium refused all of them. */
function findAcceptedKinds(free: readonly MergedEntry[]): string[] {
  return [...new Set(free.flatMap(({ held }) => (held && isAlwaysRefused(held.kind) ? [held.kind] : [])))];
}

/** Whether it was not tried yet: a retry that fails again must not start the next one. */
function isNew({ held, isChanged }: MergedEntry): boolean {
  return isChanged || !held || !takenKinds.includes(held.kind);
}

/** Whether the row is as the merge wants it; without an outcome, it already was. */
function isWritten(outcome: MergeOutcome | undefined): boolean {
  return outcome === undefined || outcome.status === 'written';
}

function getKey({ key }: MergedEntry): RecordKey {
  return key;
}

function getConsumedIntents({ key, known, state }: MergedEntry): IntentRef[] {
  const isLeft = ({ number }: Intent) => state.intents.some((intent) => intent.number === number);
  return known.intents.filter((intent) => !isLeft(intent)).map(({ number }) => ({ key, number }));
}

/** Returns the intents that only explain some of their columns from now on. */
function getConfirmedIntents({ key, known, state }: MergedEntry): NarrowedIntent[] {
  return state.intents.filter((intent) => !known.intents.includes(intent)).map((intent) => ({ key, ...intent }));
}

/** Returns why the record is held, by the first table; undefined when it is free. */
export function findHold(merged: MergedEntry, outcome: MergeOutcome | undefined): Hold | undefined {
  const hold = findRejection(merged, outcome);
  return hold && merged.held?.state === 'skipped' && !merged.isChanged ? { ...hold, state: 'skipped' } : hold;
}

function findRejection(merged: MergedEntry, outcome: MergeOutcome | undefined): Hold | undefined {
  const { key, row, state, changedAtMs, problem, deferred } = merged;
  const isRowUpToDate = isWritten(outcome);
  const base = chooseBase(merged, isRowUpToDate);
  const hold = { key, base, changedAtMs, helium: row?.fields ?? null, journey: state.journey };
  if (problem !== null) return { ...hold, state: 'dead', kind: unreadableKind, reason: problem };
  if (deferred !== null)
    return {
      ...hold,
      state: 'waiting',
      kind: findWaitingKind(merged),
      reason: deferred,
      missing: (merged.blockedBy ?? []).map(keyText),
      retryMs: merged.retryMs ?? getRetryMs(merged),
    };
  if (outcome === undefined || outcome.status === 'written') return undefined;
  if (outcome.status === 'refused') {
    const { kind, reason, blockedBy = [], isTemporary = false } = outcome;
    if (isTemporary) return { ...hold, state: 'waiting', kind, reason, retryMs: getRefusalRetryMs(merged) };
    const state = kind === keptRowKind ? 'skipped' : 'dead';
    return { ...hold, state, kind, reason, missing: blockedBy.map(keyText) };
  }
  if (outcome.status === 'without-file') {
    const files = outcome.columns.join(', ');
    const reason = `Helium requires a value for ${files}, and Journey's file is not there yet.`;
    return { ...hold, state: 'waiting', kind: fileKind, reason };
  }
  const missing = outcome.missing.map(keyText);
  const reason = `It references ${missing.join(', ')}, which Helium does not have.`;
  return { ...hold, state: 'parked', kind: 'missing parent', reason, missing };
}

function findWaitingKind({ blockedBy, retryMs }: MergedEntry): string {
  if (blockedBy) return uniqueViolation;
  return retryMs === undefined ? lockedKind : roomKind;
}

/** A locked row is tried again soon, and later each time. */
function getRetryMs({ held }: MergedEntry): number {
  const attempts = held?.state === 'waiting' ? held.attempts : 0;
  return Math.min(50 * 2 ** attempts, 1_000);
}

/** Whatever the row meets may last for hours, and each attempt may take as long as a time-out. */
function getRefusalRetryMs({ held }: MergedEntry): number {
  const attempts = held?.state === 'waiting' ? held.attempts : 0;
  return Math.min(1_000 * 2 ** attempts, 60_000);
}

function chooseBase({ known, base, state, deferred }: MergedEntry, isRowUpToDate: boolean): Fields | null {
  const isRead = state !== known;
  if (deferred === null && isRowUpToDate && isRead) return state.journey;
  return base;
}

/** Whether the other direction reads a free record again, by the last table. */
export function mustReadAgain({ known, held, rowAfter, state, isDirty }: MergedEntry): boolean {
  if (known.missing !== null) return true;
  if (!held) return isDirty;
  if (state.intents.some(({ stage }) => stage === 'sent')) return true;
  return !areFieldsEqual(rowAfter?.fields ?? null, expectedFields(state));
}
