/** Marks conflicts as reviewed, and writes another value than the winner's into Helium's row. */
import type { ResponseOf } from '@portal/contract/endpoint';
import type { reviewConflicts as endpoint } from '@portal/contract/sync/conflicts';
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { Conflict } from '@portal/kit/problems';
import { isContention } from '../helium/database-failures.ts';
import type { Db } from '../helium/helium-gateway.ts';
import { withLimitedWaits } from '../helium/limit-waits.ts';
import { openHeliumGateway } from '../helium/open-helium-gateway.ts';
import type { ConflictReview } from '../integration/operator-actions.ts';
import type { FieldMap } from '../mapping/object-map.ts';
import { getValue, type Value } from '../record/fields.ts';
import {
  acknowledge,
  type DecidedConflict,
  listToReview,
  lockToReview,
  markReviewed,
  type ReviewedValue,
} from '../sync-state/conflict-reviews.store.ts';
import { readAcceptedMapping } from '../sync-state/find-record.store.ts';
import { createLockWait, type LockWait, lockedReason, lockRow } from './lock-row.ts';

/** Each takes a transaction of its own, and a call is to end within seconds. */
const maxWritten = 200;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface ReviewParts {
  readonly pool: Pool;
  /** See `HeliumGateway`. */
  readonly reading: Pool;
  readonly stateId: number;
  /** The app's schema. */
  readonly schema: string;
}

/** See `OperatorActions`. */
export async function reviewConflicts(
  parts: ReviewParts,
  review: ConflictReview,
): Promise<ResponseOf<typeof endpoint>> {
  const { pool, stateId } = parts;
  const { selection, take, by } = review;
  if (take === 'winner') return { reviewed: await acknowledge(pool, stateId, selection, by), refused: [], next: null };
  const numbers = await listToReview(pool, stateId, selection, maxWritten + 1);
  const chosen = numbers.slice(0, maxWritten);
  const refused: { no: string; reason: string }[] = [];
  // Who keeps one record locked may well have locked them all.
  const wait = createLockWait();
  for (const no of chosen) {
    const reason = await reviewOne({ ...parts, wait }, no, review);
    if (reason !== null) refused.push({ no, reason });
  }
  const next = numbers.length > chosen.length ? (chosen.at(-1) ?? null) : null;
  return { reviewed: chosen.length - refused.length, refused, next };
}

interface OneReviewParts extends ReviewParts {
  readonly wait: LockWait;
}

/** Returns why a conflict was not reviewed, and nothing was changed; null when it was. */
async function reviewOne(parts: OneReviewParts, no: string, review: ConflictReview): Promise<string | null> {
  try {
    await inTransaction(parts.pool, (db) =>
      withLimitedWaits(db, async () => {
        const conflict = await lockToReview(db, parts.stateId, no);
        if (!conflict) throw new Conflict('Someone else has reviewed it.');
        const value = await writeTaken(parts, db, conflict, review);
        await markReviewed(db, parts.stateId, no, { by: review.by, value });
      }),
    );
    return null;
  } catch (error) {
    if (error instanceof Conflict) return error.message;
    if (isContention(error)) return lockedReason;
    throw error;
  }
}

/** Writes the taken value, unless the row has it. Returns whose value it is. */
async function writeTaken(
  { pool, reading, stateId, schema, wait }: OneReviewParts,
  db: Db,
  conflict: DecidedConflict,
  { take, value }: ConflictReview,
): Promise<ReviewedValue> {
  const { key, column, winner } = conflict;
  if (take === 'winner' || take === winner) return winner;
  if (column === null) throw new Conflict('One side deleted the record, so there is no value to take.');
  const mapping = await readAcceptedMapping(db, stateId);
  const map = mapping?.objects.find(({ table }) => table === key.table);
  const field = map?.fields.find((one) => one.column === column);
  if (!map || !field) throw new Conflict(`${column} of ${key.table} is not synced any more.`);
  if (field.kind === 'blob') throw new Conflict('It is a file. Restore the kept file instead.');
  const taken = take === 'value' ? readValue(field, value) : conflict[take];
  const helium = openHeliumGateway({ pool, reading, schema });
  const row = await lockRow(db, helium, { map, id: key.id, wait });
  if (!row) throw new Conflict('Helium no longer has the record.');
  const present = getValue(row.fields, column);
  const whose = take === 'value' ? 'other' : take;
  if (present === taken) return whose;
  if (present !== conflict[winner])
    throw new Conflict('Helium has another value by now. Find the record to see it, and edit it there.');
  const write = { key, fields: { [column]: taken }, isInsert: false, changedAtMs: Date.now() };
  const [outcome] = await helium.write(db, [map], [write]);
  if (outcome?.status === 'written') return whose;
  const reason = outcome && 'reason' in outcome ? outcome.reason : 'The record that it refers to is missing.';
  throw new Conflict(`Helium refused the value: ${reason}`);
}

function readValue({ kind, column }: FieldMap, value: string | null): Value {
  if (kind === 'reference' && value !== null && !uuidPattern.test(value))
    throw new Conflict(`${column} refers to a record, so it needs that record's id.`);
  return kind === 'reference' ? (value?.toLowerCase() ?? null) : value;
}
