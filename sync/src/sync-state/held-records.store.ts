/** Stores records that wait for a lock, a parent or an operator, with one row per record and direction. */
import type { HeldState } from '@portal/contract/sync-records';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import type { Db } from '../helium/helium-gateway.ts';
import type { Fields } from '../record/fields.ts';
import { KeyMap, keyText, type RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

export type Direction = 'helium-to-journey' | 'journey-to-helium';

export interface HeldRow {
  readonly key: RecordKey;
  readonly state: HeldState;
  readonly kind: string;
  /** Journey's last state that Helium has. */
  readonly base: Fields | null;
  /** When Journey's last edit was made; null for a deletion that is only supposed. */
  readonly changedAtMs: number | null;
}

export type HeldRows = Readonly<Record<Direction, KeyMap<HeldRow>>>;

export async function readHeld(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<HeldRows> {
  const { rows } = await db.query<Omit<HeldRow, 'key'> & RecordKey & { direction: Direction }>({
    name: 'portal-sync-held',
    text: `select h.direction, h.table_name as "table", h.id::text, h.state, h.kind, h.base,
         h.changed_at_ms::float8 as "changedAtMs"
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       join __portal_sync__.held h on h.state_id = $1 and h.table_name = k.table_name and h.id = k.id`,
    values: [stateId, ...keyColumns(keys)],
  });
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
  readonly state: 'waiting' | 'parked' | 'dead';
  readonly kind: string;
  readonly reason: string;
  readonly missing?: readonly string[];
  readonly base?: Fields | null;
  readonly changedAtMs?: number | null;
  readonly helium: Fields | null;
  readonly journey: Fields | null;
}

/** How soon a waiting record is retried: later each time, up to a second. */
const waitSql = (attempts: string) => `least(interval '1 s', interval '50 ms' * 2 ^ least(${attempts}, 10))`;

/**
 * Holds records. Waiting ones are retried soon. Parked ones are retried when the parent they wait
 * for arrives, and every ten minutes.
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
       (state_id, direction, state, table_name, id, kind, reason, missing, base, changed_at_ms, helium, journey, retry_at)
     select $1, $2, r.state, r."table", r.id, r.kind, r.reason, coalesce(r.missing, '{}'), r.base, r."changedAtMs", r.helium,
       r.journey, now() + case r.state when 'waiting' then ${waitSql('0')} when 'parked' then interval '10 minutes' end
     from jsonb_to_recordset($3) as r (state text, "table" text, id uuid, kind text, reason text, missing text[], base jsonb,
       "changedAtMs" bigint, helium jsonb, journey jsonb)
     on conflict (state_id, direction, table_name, id) do update set state = excluded.state, kind = excluded.kind,
       reason = excluded.reason, missing = excluded.missing, base = excluded.base, attempts = h.attempts + 1, last_tried = now(),
       changed_at_ms = excluded.changed_at_ms, helium = excluded.helium, journey = excluded.journey,
       retry_at = case when excluded.state = 'waiting' then now() + ${waitSql('h.attempts')} else excluded.retry_at end`,
    [stateId, direction, JSON.stringify(texts)],
  );
}

export async function releaseRecords(
  db: Db,
  stateId: number,
  direction: Direction,
  keys: readonly RecordKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await db.query(
    `delete from __portal_sync__.held h using unnest($3::text[], $4::uuid[]) as k (table_name, id)
     where h.state_id = $1 and h.direction = $2 and h.table_name = k.table_name and h.id = k.id`,
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
