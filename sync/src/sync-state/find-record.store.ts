/** Reads everything that is stored about single records, for operators. */
import type { FoundRecord } from '@portal/contract/sync/find';
import type { Db } from '../helium/helium-gateway.ts';
import type { AcceptedMapping } from '../mapping/accept-mapping.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { stageSql } from './intents.store.ts';
import {
  type ConflictRow,
  type HeldRow,
  selectConflictsSql,
  selectHeldSql,
  toConflict,
  toHeldRecord,
} from './operations.store.ts';

/** More conflicts of one record than anyone reads. */
const maxConflicts = 20;
/** One missing parent can stop thousands. */
const maxWaiting = 20;

/** Returns the mapping that was accepted last; null before the first run. */
export async function readAcceptedMapping(db: Db, stateId: number): Promise<AcceptedMapping | null> {
  const { rows } = await db.query<{ mapping: AcceptedMapping | null }>(
    'select mapping from __portal_sync__.run where state_id = $1',
    [stateId],
  );
  return rows[0]?.mapping ?? null;
}

/** Returns those of these tables of which something is stored under this id. */
export async function findTablesWithState(
  db: Db,
  stateId: number,
  tables: readonly string[],
  id: string,
): Promise<string[]> {
  const stores = ['record', 'intent', 'held', 'dirty', 'conflict'];
  const each = stores.map(
    (store) =>
      `select table_name from __portal_sync__.${store} where state_id = $1 and table_name = any($2) and id = $3`,
  );
  const { rows } = await db.query<{ table_name: string }>(each.join(' union '), [stateId, tables, id]);
  return rows.map(({ table_name }) => table_name);
}

interface HeldSearch {
  readonly tables: readonly string[];
  /** null for every column */
  readonly column: string | null;
  /** The value in each of the forms in which it may be stored. */
  readonly values: readonly string[];
  /** Of texts that contain the value; null if only whole values are searched. */
  readonly pattern: string | null;
  readonly limit: number;
}

/** Finds held records by a value that either side has, or that Journey had last. */
export async function findHeldByValue(
  db: Db,
  stateId: number,
  { tables, column, values, pattern, limit }: HeldSearch,
): Promise<RecordKey[]> {
  const { rows } = await db.query<RecordKey>(
    `select distinct h.table_name as "table", h.id::text
     from __portal_sync__.held h
     left join __portal_sync__.record r on r.state_id = h.state_id and r.table_name = h.table_name and r.id = h.id
     where h.state_id = $1 and h.table_name = any($2) and exists (
       select from (
         select * from jsonb_each_text(h.helium)
         union all select * from jsonb_each_text(h.journey)
         union all select * from json_each_text(r.journey)
       ) v where ($3::text is null or v.key = $3) and (v.value = any($4) or v.value ilike $6)
     ) limit $5`,
    [stateId, tables, column, values, limit, pattern],
  );
  return rows;
}

export type StoredRecord = Pick<
  FoundRecord,
  'known' | 'isDirty' | 'isLookAgainRequested' | 'intents' | 'held' | 'waitedForBy' | 'conflicts'
>;

export async function readStoredRecord(db: Db, stateId: number, { table, id }: RecordKey): Promise<StoredRecord> {
  const key = [stateId, table, id];
  const ofKey = 'state_id = $1 and table_name = $2 and id = $3';
  const { rows: known } = await db.query<NonNullable<FoundRecord['known']>>(
    `select journey, deleted_at_ms::float8 as "deletedAt", tstamp_ms as "rowAt" from __portal_sync__.record where ${ofKey}`,
    key,
  );
  const { rows: marks } = await db.query<{ isDirty: boolean; isLookAgainRequested: boolean }>(
    `select exists (select from __portal_sync__.dirty where ${ofKey}) as "isDirty",
       exists (select from __portal_sync__.look_again where ${ofKey}) as "isLookAgainRequested"`,
    key,
  );
  const { rows: intents } = await db.query<IntentRow>(
    `select method, ${stageSql} as stage, sent_at as "sentAt", fields as values
     from __portal_sync__.intent i where ${ofKey} order by number`,
    key,
  );
  const { rows: held } = await db.query<HeldRow>(
    `${selectHeldSql} where h.state_id = $1 and h.table_name = $2 and h.id = $3 order by h.number`,
    key,
  );
  const { rows: waitedForBy } = await db.query<RecordKey>(
    `select table_name as "table", id::text from __portal_sync__.held
     where state_id = $1 and missing && array[$2] order by number limit ${maxWaiting}`,
    [stateId, keyText({ table, id })],
  );
  const { rows: conflicts } = await db.query<ConflictRow>(
    `${selectConflictsSql} where ${ofKey} order by number desc limit ${maxConflicts}`,
    key,
  );
  return {
    known: known[0] ?? null,
    isDirty: marks[0]?.isDirty ?? false,
    isLookAgainRequested: marks[0]?.isLookAgainRequested ?? false,
    intents: intents.map(({ sentAt, ...intent }) => ({ ...intent, sentAt: sentAt.toISOString() })),
    held: held.map(toHeldRecord),
    waitedForBy,
    conflicts: conflicts.map(toConflict),
  };
}

type IntentRow = Omit<FoundRecord['intents'][number], 'sentAt'> & { readonly sentAt: Date };
