/** Records the outcome of each write that was sent to Journey. */

import type { Db } from '../../helium/helium-gateway.ts';
import type { JourneyOutcome } from '../../journey/journey-gateway.ts';
import type { UnknownColumn } from '../../mapping/compare-mappings.ts';
import type { Fields } from '../../record/fields.ts';
import type { KeyMap, RecordKey } from '../../record/record-key.ts';
import { keyText } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import { type Hold, holdRecords, readSkipped, releaseRecords } from '../../sync-state/held-records.store.ts';
import { removeIntents, reopenIntents } from '../../sync-state/intents.store.ts';
import { readRecords, saveRecords } from '../../sync-state/records.store.ts';
import { expectsEcho, type SyncContext } from '../state/context.ts';
import type { PlannedWrite } from './planner/plan-record.ts';
import { getIntentRefs } from './planner.ts';
import { type HoldBase, holdUndecided } from './receipts/undecided-writes.ts';
import { holdAtFault } from './sender/failed-calls.ts';

interface AnsweredWrites {
  readonly planned: readonly PlannedWrite[];
  /** Columns that were forgotten since the writes were planned. */
  readonly unknown: readonly UnknownColumn[];
}

/** Intents that succeeded need no update: their call is marked as answered. */
export async function recordOutcomes(
  context: SyncContext,
  db: Db,
  { planned, unknown }: AnsweredWrites,
  outcomes: KeyMap<JourneyOutcome>,
  base: HoldBase & { readonly calledAtMs: number },
): Promise<void> {
  const done = planned.filter(({ key }) => outcomes.get(key)?.status === 'done');
  const notDone = planned.filter(({ key }) => outcomes.get(key)?.status !== 'done');
  const isUndecided = ({ key }: PlannedWrite) => outcomes.get(key)?.status === 'undecided';
  await removeIntents(db, context.stateId, getIntentRefs(notDone.filter((one) => !isUndecided(one))));
  await reopenIntents(db, context.stateId, getIntentRefs(notDone.filter(isUndecided)));
  // A comparison recognizes objects that are older than what was written by that time. Where the
  // op-log is read, its entries show a restore.
  const listed = context.isTwoWay ? {} : { listedAtMs: base.calledAtMs };
  // When no op-log is read, Journey's known state is what it acknowledged.
  const settled = done.filter(({ key }) => !expectsEcho(context, key.table));
  const deletedKeys = settled.filter(({ helium }) => helium === null).map(({ key }) => key);
  // Stored with the time of the deletion when it was planned.
  const deleted = await readRecords(db, context.stateId, deletedKeys);
  await saveRecords(
    db,
    context.stateId,
    settled.map(({ key, helium, known }) =>
      helium === null
        ? { ...deleted.get(key), key, journey: null }
        : { ...known, key, journey: withoutUnknown(key, helium, unknown), deletedAtMs: null, ...listed },
    ),
  );
  await recordMissing(
    context,
    db,
    notDone.filter(({ key }) => outcomes.get(key)?.status === 'missing'),
  );
  await releaseRecords(
    db,
    context.stateId,
    'helium-to-journey',
    planned.filter(({ key, held }) => held && isAccepted(outcomes.get(key))).map(({ key }) => key),
  );
  const failed = notDone.filter(({ key }) => isFailed(outcomes.get(key)));
  const skipped = await readSkipped(
    db,
    context.stateId,
    failed.map(({ key }) => key),
  );
  const holds = failed.flatMap(({ key, helium, known, held }): Hold[] => {
    const outcome = outcomes.get(key);
    // An operator has skipped it during the call.
    const isSkippedNow = skipped.has(key) && held?.state !== 'skipped';
    if (!isFailed(outcome) || isSkippedNow) return [];
    const { kind, reason } = outcome;
    if (outcome.status === 'refused') return [{ key, state: 'dead', kind, reason, helium, journey: known.journey }];
    // It is sent again at once, in a smaller call.
    if (outcome.fault === 'call') return [];
    const how = outcome.fault ? holdAtFault(held, kind, context.fileBackoff, base) : holdUndecided(held, base);
    return [{ key, ...how, kind, reason, helium, journey: known.journey }];
  });
  await holdRecords(db, context.stateId, 'helium-to-journey', holds);
  const unreadable = new Set(planned.filter((one) => one.unreadable).map(({ key }) => keyText(key)));
  for (const { key, state, reason } of holds) {
    if (state !== 'dead') continue;
    const what = unreadable.has(keyText(key)) ? 'cannot be sent' : 'was rejected by Journey';
    context.log('SEVERE', `${keyText(key)} ${what}: ${reason}`);
  }
}

/** Removes what the row had in a column that has been replaced by another one. */
function withoutUnknown({ table }: RecordKey, fields: Fields, unknown: readonly UnknownColumn[]): Fields {
  const columns = unknown.filter((one) => one.table === table).map(({ column }) => column);
  if (columns.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([column]) => !columns.includes(column)));
}

function isFailed(
  outcome: JourneyOutcome | undefined,
): outcome is Extract<JourneyOutcome, { status: 'refused' | 'undecided' }> {
  return outcome?.status === 'refused' || outcome?.status === 'undecided';
}

/** Whether the record is no longer held: a missing one is sent again by other means. */
function isAccepted(outcome: JourneyOutcome | undefined): boolean {
  return outcome?.status === 'done' || outcome?.status === 'missing';
}

/**
 * Handles records that Journey did not have when they were patched. The op-log will show their
 * deletion. If it is proven to be past it without one, and the record is missing again, it is
 * created with a put.
 */
async function recordMissing(context: SyncContext, db: Db, missing: readonly PlannedWrite[]): Promise<void> {
  if (missing.length === 0) return;
  const records = await readRecords(
    db,
    context.stateId,
    missing.map(({ key }) => key),
  );
  const changes = missing.map(({ key }) => {
    const known = records.get(key);
    const waits = expectsEcho(context, key.table) && known.journey !== null && known.missing !== 'again';
    return { ...known, key, journey: waits ? known.journey : null, missing: waits ? ('waits' as const) : null };
  });
  await saveRecords(db, context.stateId, changes);
  await markDirty(
    db,
    context.stateId,
    changes.filter(({ missing }) => missing === null).map(({ key }) => key),
  );
}
