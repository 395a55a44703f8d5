import { maxCountedConflicts } from '@portal/contract/sync/conflicts';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { Conflict } from '../record/merge.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

/** Older conflicts are deleted. */
const retention = `interval '1 year'`;

/**
 * Whether the conflict `c` is open because of itself, not because a file is fetched to be kept with
 * it.
 */
const isUndecidedSql = `c.waits is not null
  and not exists (select from __portal_sync__.file_wait w where w.state_id = c.state_id and w.conflict = c.number)`;

/** Counts the conflicts of the state $1 that meet a condition, up to one more than are counted. */
export function countConflictsSql(condition: string): string {
  return `select count(*)::int from (
    select from __portal_sync__.conflict where state_id = $1 and ${condition} limit ${maxCountedConflicts + 1}) counted`;
}

/** The numbers of stored conflicts, by record and column. */
export interface SavedConflicts {
  /** Of several of the same column, the number of the last one. */
  getNumber(key: RecordKey, column: string | null): string;
  /** How many old conflicts were deleted. */
  readonly removed: number;
}

/** Stores conflicts. What was an open conflict of the same field is decided by it. */
export async function addConflicts(
  db: Db,
  stateId: number,
  conflicts: readonly { readonly key: RecordKey; readonly conflict: Conflict }[],
): Promise<SavedConflicts> {
  const numbers = new Map<string, string>();
  const getNumber = (key: RecordKey, column: string | null) => {
    const number = numbers.get(toFieldText(key, column));
    if (number === undefined) throw new Error(`No conflict of ${toFieldText(key, column)} was stored.`);
    return number;
  };
  if (conflicts.length === 0) return { getNumber, removed: 0 };
  await closeOpenConflicts(
    db,
    stateId,
    conflicts.flatMap(({ key, conflict: { column } }) => (column === null ? [] : [{ key, column }])),
  );
  const rows = conflicts.map(({ key, conflict }) => ({ ...key, ...conflict }));
  const { rows: added } = await db.query<RecordKey & { readonly number: string; readonly column: string | null }>(
    `insert into __portal_sync__.conflict (state_id, table_name, id, column_name, helium, journey, winner)
     select $1, "table", id, "column", helium, journey, winner
     from jsonb_to_recordset($2) as r ("table" text, id uuid, "column" text, helium jsonb, journey jsonb, winner text)
     returning number::text, table_name as "table", id::text, column_name as "column"`,
    [stateId, toJson(rows)],
  );
  for (const { number, column, ...key } of added) {
    const field = toFieldText(key, column);
    const other = numbers.get(field);
    if (other === undefined || BigInt(number) > BigInt(other)) numbers.set(field, number);
  }
  const removed = await removeRows(
    db,
    'conflict',
    `select ctid from __portal_sync__.conflict
     where state_id = $1 and at < now() - ${retention} and waits is null for update`,
    [stateId],
  );
  return { getNumber, removed };
}

function toFieldText(key: RecordKey, column: string | null): string {
  return `${keyText(key)}/${column ?? ''}`;
}

/** Fields that are not mapped may contain any text. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'string' ? toStorableText(one) : one));
}

/**
 * Stores that both sides have changed a file and that neither is overwritten yet, with the reason.
 * There is at most one such conflict of a field.
 */
export async function openConflict(
  db: Db,
  stateId: number,
  key: RecordKey,
  { column, helium, journey, winner }: Conflict,
  reason: string,
): Promise<void> {
  const values = [stateId, key.table, key.id, column, toJson(helium), toJson(journey), winner, reason];
  const { rowCount } = await db.query(
    `update __portal_sync__.conflict c set helium = $5, journey = $6, winner = $7, waits = $8
     where c.state_id = $1 and c.table_name = $2 and c.id = $3 and c.column_name = $4 and ${isUndecidedSql}`,
    values,
  );
  if (rowCount !== 0) return;
  await db.query(
    `insert into __portal_sync__.conflict (state_id, table_name, id, column_name, helium, journey, winner, waits)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values,
  );
}

/** Removes the open conflicts of fields that were decided, or differ no more. */
export async function closeOpenConflicts(
  db: Db,
  stateId: number,
  fields: readonly { readonly key: RecordKey; readonly column: string }[],
): Promise<void> {
  if (fields.length === 0) return;
  await removeRows(
    db,
    'conflict',
    `select c.ctid from __portal_sync__.conflict c, unnest($2::text[], $3::uuid[], $4::text[]) as k (table_name, id, column_name)
     where c.state_id = $1 and c.table_name = k.table_name and c.id = k.id and c.column_name = k.column_name
       and ${isUndecidedSql} for update of c`,
    [stateId, ...keyColumns(fields.map(({ key }) => key)), fields.map(({ column }) => column)],
  );
}
