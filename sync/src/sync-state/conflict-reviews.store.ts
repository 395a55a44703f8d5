/** Which conflicts operators have reviewed, and with what result. */
import type { SyncConflict } from '@portal/contract/sync/conflicts';
import type { Db } from '../helium/helium-gateway.ts';
import type { ConflictSelection } from '../integration/operator-actions.ts';
import type { Value } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';

export type ReviewedValue = NonNullable<SyncConflict['review']>['value'];

/** A decided conflict without a review. */
export interface DecidedConflict {
  readonly key: RecordKey;
  readonly column: string | null;
  /** Records are not values: these are only used if there is a column. */
  readonly helium: Value;
  readonly journey: Value;
  readonly winner: 'helium' | 'journey';
}

const toReview = 'c.state_id = $1 and c.reviewed_at is null and c.waits is null';
const selected = `${toReview} and (c.number = any($2::bigint[]) or (c.table_name = $3
  and c.column_name is not distinct from $4 and c.number > $5))`;

function toParameters(selection: ConflictSelection) {
  if ('numbers' in selection) return [selection.numbers, null, null, null];
  const { field, after } = selection;
  return [null, field.table, field.column, after ?? '0'];
}

/** Returns the numbers of conflicts to review, in their order. */
export async function listToReview(
  db: Db,
  stateId: number,
  selection: ConflictSelection,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ no: string }>(
    `select c.number::text as no from __portal_sync__.conflict c where ${selected} order by c.number limit $6`,
    [stateId, ...toParameters(selection), limit],
  );
  return rows.map(({ no }) => no);
}

/** Marks all of a selection as reviewed without a change, and returns how many there were. */
export async function acknowledge(db: Db, stateId: number, selection: ConflictSelection, by: string): Promise<number> {
  const { rowCount } = await db.query(
    `update __portal_sync__.conflict c set reviewed_at = now(), reviewed_by = $6, reviewed_value = c.winner
     where ${selected}`,
    [stateId, ...toParameters(selection), by],
  );
  return rowCount ?? 0;
}

/** Locks a conflict until the transaction ends; null if it is open, or someone has reviewed it. */
export async function lockToReview(db: Db, stateId: number, no: string): Promise<DecidedConflict | null> {
  const { rows } = await db.query<Omit<DecidedConflict, 'key'> & RecordKey>(
    `select c.table_name as "table", c.id::text, c.column_name as "column", c.helium, c.journey, c.winner
     from __portal_sync__.conflict c where ${toReview} and c.number = $2 for update`,
    [stateId, no],
  );
  const [row] = rows;
  if (!row) return null;
  const { table, id, ...rest } = row;
  return { ...rest, key: { table, id } };
}

export async function markReviewed(
  db: Db,
  stateId: number,
  no: string,
  { by, value }: { readonly by: string; readonly value: ReviewedValue },
): Promise<void> {
  await db.query(
    `update __portal_sync__.conflict set reviewed_at = now(), reviewed_by = $3, reviewed_value = $4
     where state_id = $1 and number = $2`,
    [stateId, no, by, value],
  );
}
