/**
 * Stores records that wait for a lock, a parent or an operator, with one row per record and
 * direction.
 */

import type { HeldState } from '@portal/contract/sync/records';
import { namedQuery } from '@portal/kit/postgres/named-query';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import { takenKinds } from '../helium/unique-keys.ts';
import type { Fields } from '../record/fields.ts';
import { KeyMap, keyText, type RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

/** The kind of records held because Helium cannot store one of their values. */
export const unreadableKind = 'unreadable value';

/** The kind of entries of the op-log that are no change of a record. No retry can help. */
export const unreadableEntryKind = 'unreadable entry';

/** The kind of records held because Helium requires a file that is not there yet. */
export const fileKind = 'missing file';

export type Direction = 'helium-to-journey' | 'journey-to-helium';

export interface HeldRow {
  readonly key: RecordKey;
  readonly state: HeldState;
  readonly kind: string;
  readonly attempts: number;
  readonly sinceMs: number;
  /** Journey's last state that Helium has. */
  readonly base: Fields | null;
  /** When Journey's last edit was made; null for a deletion that is only supposed. */
  readonly changedAtMs: number | null;
  /** Helium's row when the record was last tried; null when there was none. */
  readonly helium: Fields | null;
}

export type HeldRows = Readonly<Record<Direction, KeyMap<HeldRow>>>;

/**
 * Reads one record at a time: a plan that was made while few were held would search all of them
 * for each.
 */
export async function readHeld(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<HeldRows> {
  const { rows } = await db.query<Omit<HeldRow, 'key'> & RecordKey & { direction: Direction }>(
    namedQuery(
      'portal-sync-held',
      `select h.direction, h.table_name as "table", h.id::text, h.state, h.kind, h.base,
         h.attempts, extract(epoch from h.since)::float8 * 1000 as "sinceMs",
         h.changed_at_ms::float8 as "changedAtMs", h.helium
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       cross join lateral (
         select * from __portal_sync__.held h where h.state_id = $1 and h.table_name = k.table_name and h.id = k.id
           and h.direction in ('helium-to-journey', 'journey-to-helium') offset 0
       ) h`,
      [stateId, ...keyColumns(keys)],
    ),
  );
  const held: Record<Direction, KeyMap<HeldRow>> = {
    'helium-to-journey': new KeyMap(),
    'journey-to-helium': new KeyMap(),
  };
  for (const { direction, table, id, ...rest } of rows) {
    held[direction].set({ table, id }, { key: { table, id }, ...rest });
  }
  return held;
}

export interface Hold {
  readonly key: RecordKey;
  readonly state: 'waiting' | 'parked' | 'dead' | 'skipped';
  readonly kind: string;
  readonly reason: string;
  /** The delay before the retry of a waiting record. */
  readonly retryMs?: number;
  /** The records it waits for, each as `{table}/{id}`. */
  readonly missing?: readonly string[];
  readonly base?: Fields | null;
  readonly changedAtMs?: number | null;
  readonly helium: Fields | null;
  readonly journey: Fields | null;
}

/** A record that waits for the value of another is not tried. */
const isUntried = (row: string) =>
  `${row}.state = 'waiting' and ${row}.kind in (${takenKinds.map((kind) => `'${kind}'`).join(', ')})`;

/**
 * Holds records. Waiting ones are retried after `retryMs`. Parked ones are retried when the parent
 * they wait for arrives, and every ten minutes.
 */
export async function holdRecords(
  db: Db,
  stateId: number,
  direction: Direction,
  holds: readonly Hold[],
): Promise<void> {
  if (holds.length === 0) return;
  const texts = holds.map(({ key, kind, reason, ...rest }) => ({
    ...key,
    ...rest,
    kind: toStorableText(kind),
    reason: toStorableText(reason),
  }));
  await db.query(
    `insert into __portal_sync__.held as h
       (state_id, direction, state, table_name, id, kind, reason, missing, base, changed_at_ms, helium, journey, retry_at,
        attempts)
     select $1, $2, r.state, r."table", r.id, r.kind, r.reason, coalesce(r.missing, '{}'), r.base, r."changedAtMs", r.helium,
       r.journey, case r.state when 'parked' then now() + interval '10 minutes'
         when 'waiting' then now() + r."retryMs" * interval '1 millisecond' end, case when ${isUntried('r')} then 0 else 1 end
     from jsonb_to_recordset($3) as r (state text, "table" text, id uuid, kind text, reason text, missing text[], base jsonb,
       "changedAtMs" bigint, helium jsonb, journey jsonb, "retryMs" float8)
     on conflict (state_id, direction, table_name, id) do update set state = excluded.state, kind = excluded.kind,
       reason = excluded.reason, missing = excluded.missing, base = excluded.base,
       -- The attempts of a waiting record count from when it began to wait.
       attempts = case when ${isUntried('excluded')} then h.attempts
         when excluded.state = 'waiting' and h.state <> 'waiting' then 1 else h.attempts + 1 end,
       since = case when ${isUntried('excluded')} then h.since
         when excluded.state = 'waiting' and h.state <> 'waiting' then now() else h.since end, last_tried = now(),
       changed_at_ms = excluded.changed_at_ms, helium = excluded.helium, journey = excluded.journey,
       retry_at = excluded.retry_at`,
    [stateId, direction, JSON.stringify(texts)],
  );
}

/**
 * Returns those of these records of Helium → Journey that are skipped. Until the transaction ends,
 * operators cannot skip the others.
 */
export async function readSkipped(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<KeyMap<true>> {
  const skipped = new KeyMap<true>();
  if (keys.length === 0) return skipped;
  const { rows } = await db.query<RecordKey & { readonly state: HeldState }>(
    `select h.table_name as "table", h.id::text, h.state
     from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     join __portal_sync__.held h on h.state_id = $1 and h.direction = 'helium-to-journey'
       and h.table_name = k.table_name and h.id = k.id
     order by h.number for update of h`,
    [stateId, ...keyColumns(keys)],
  );
  for (const { state, ...key } of rows) if (state === 'skipped') skipped.set(key, true);
  return skipped;
}

export async function releaseRecords(
  db: Db,
  stateId: number,
  direction: Direction,
  keys: readonly RecordKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await removeRows(
    db,
    'held',
    `select h.ctid from __portal_sync__.held h, unnest($3::text[], $4::uuid[]) as k (table_name, id)
     where h.state_id = $1 and h.direction = $2 and h.table_name = k.table_name and h.id = k.id for update of h`,
    [stateId, direction, ...keyColumns(keys)],
  );
}

/**
 * Schedules an immediate retry of records that wait for one of these. Returns how many there are.
 */
export async function wakeDependents(db: Db, stateId: number, arrived: readonly RecordKey[]): Promise<number> {
  if (arrived.length === 0) return 0;
  const { rowCount } = await db.query(
    // In one order, because both directions do so at the same time.
    `update __portal_sync__.held set retry_at = now() where number in (
       select number from __portal_sync__.held where state_id = $1 and state = 'parked' and missing && $2::text[]
       order by number for update)`,
    [stateId, arrived.map(keyText)],
  );
  return rowCount ?? 0;
}

/** A write that Helium refuses whatever the row is. */
export interface RefusedWrite {
  readonly table: string;
  readonly operation: 'insert' | 'update' | 'delete';
  /** PostgreSQL's code, which is the kind of the dead letters. */
  readonly code: string;
  /** The kind of the records that wait. */
  readonly kind: string;
  /** The beginning of their reasons. */
  readonly intro: string;
  readonly retryMs: number;
}

const operationSql = {
  insert: 'helium is null',
  update: 'helium is not null and journey is not null',
  delete: 'helium is not null and journey is null',
} as const;

/** Has the dead letters of a write wait that is always refused. */
export async function releaseDeadLetters(
  db: Db,
  stateId: number,
  { table, operation, code, kind, intro, retryMs }: RefusedWrite,
): Promise<void> {
  await db.query(
    `update __portal_sync__.held set state = 'waiting', kind = $4, reason = $5 || reason, attempts = 1,
       retry_at = now() + $6 * interval '1 millisecond'
     where number in (select number from __portal_sync__.held
       where state_id = $1 and direction = 'journey-to-helium' and state = 'dead' and table_name = $2 and kind = $3
         and ${operationSql[operation]} order by number for update)`,
    [stateId, table, code, kind, intro, retryMs],
  );
}

/** Schedules an immediate retry of the records that wait with one of these kinds. */
export async function retryKinds(db: Db, stateId: number, kinds: readonly string[]): Promise<void> {
  if (kinds.length === 0) return;
  await db.query(
    `update __portal_sync__.held set retry_at = now() where number in (
       select number from __portal_sync__.held
       where state_id = $1 and direction = 'journey-to-helium' and state = 'waiting' and kind = any($2)
       order by number for update)`,
    [stateId, kinds],
  );
}

/** Tries records again that an operator skipped, because Helium has changed them. */
export async function retrySkipped(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  if (keys.length === 0) return;
  await db.query(
    `update __portal_sync__.held h set state = 'dead', retry_at = now() from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     where h.state_id = $1 and h.direction = 'journey-to-helium' and h.state = 'skipped'
       and h.table_name = k.table_name and h.id = k.id`,
    [stateId, ...keyColumns(keys)],
  );
}

/** @param tables the tables to retry; the others are suspended or skipped */
export async function readDue(
  db: Db,
  stateId: number,
  direction: Direction,
  { tables, limit }: { readonly tables: readonly string[]; readonly limit: number },
): Promise<RecordKey[]> {
  const { rows } = await db.query(
    `select table_name as "table", id::text from __portal_sync__.held
     where state_id = $1 and direction = $2 and retry_at <= now() and table_name = any($4) order by number limit $3`,
    [stateId, direction, limit, tables],
  );
  return rows;
}

const waitingSql = `h.state_id = $1 and h.direction = 'helium-to-journey' and h.state = 'waiting' and h.table_name = any($2)
  and not exists (
    select from __portal_sync__.held o
    where o.state_id = h.state_id and o.direction = 'journey-to-helium' and o.table_name = h.table_name and o.id = h.id)`;

/**
 * Returns the records of Helium → Journey that wait and are due, or all that wait, oldest first.
 * Those that are also held in the other direction are sent when they are free there.
 */
export async function readDueWaiting(
  db: Db,
  stateId: number,
  { tables, limit, all }: { readonly tables: readonly string[]; readonly limit: number; readonly all: boolean },
): Promise<RecordKey[]> {
  const { rows } = await db.query(
    `select h.table_name as "table", h.id::text from __portal_sync__.held h
     where ${waitingSql} and (h.retry_at <= now() or $4) order by h.number limit $3`,
    [stateId, tables, limit, all],
  );
  return rows;
}

/** Returns in how many milliseconds the first of these records is due; null when none waits. */
export async function readNextDueMs(db: Db, stateId: number, tables: readonly string[]): Promise<number | null> {
  const { rows } = await db.query(
    `select extract(epoch from min(h.retry_at) - now())::float8 * 1000 as "dueMs" from __portal_sync__.held h
     where ${waitingSql}`,
    [stateId, tables],
  );
  return rows[0]?.dueMs ?? null;
}

/** Ends the retries of records that no retry can change: they wait for an operator again. */
export async function stopRetrying(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  if (keys.length === 0) return;
  await db.query(
    `update __portal_sync__.held h set retry_at = null, attempts = attempts + 1, last_tried = now()
     from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     where h.state_id = $1 and h.direction = 'journey-to-helium' and h.table_name = k.table_name and h.id = k.id`,
    [stateId, ...keyColumns(keys)],
  );
}
