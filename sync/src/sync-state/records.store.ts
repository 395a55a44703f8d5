/** Stores what is known of each record, read and written one page at a time. */
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Db } from '../helium/helium-gateway.ts';
import type { Fields } from '../record/fields.ts';
import { KeyMap, type RecordKey } from '../record/record-key.ts';
import type { Intent, RecordState } from '../record/record-state.ts';
import { keyColumns, runInParts, withoutNullSql } from './array-parameters.ts';
import { stageSql } from './intents.store.ts';

export interface KnownRecord extends RecordState {
  /** Op-log entries older than this are older than the listing; null when there was no listing. */
  readonly listedAtMs: number | null;
  readonly missing: 'waits' | 'again' | null;
}

/** A record that Journey does not have. */
export const absentRecord: KnownRecord = {
  journey: null,
  intents: [],
  deletedAtMs: null,
  tstampMs: null,
  edits: null,
  listedAtMs: null,
  missing: null,
};

export class KnownRecords {
  readonly #known: KeyMap<KnownRecord>;

  constructor(known: KeyMap<KnownRecord>) {
    this.#known = known;
  }

  /**
   * Returns undefined when nothing is known. Journey may or may not have the object, so it must not
   * be replaced.
   */
  find(key: RecordKey): KnownRecord | undefined {
    return this.#known.get(key);
  }

  /** Returns the state to merge an entry into: if nothing is known, there is no base. */
  get(key: RecordKey): KnownRecord {
    return this.#known.get(key) ?? absentRecord;
  }
}

type Row = readonly [
  nth: number,
  journey: Fields | null,
  deletedAtMs: number | null,
  listedAtMs: number | null,
  missing: KnownRecord['missing'],
  tstampMs: number | null,
  edits: KnownRecord['edits'],
  number: number | null,
  method: Intent['method'],
  fields: Fields,
  row: Intent['row'],
  stage: Intent['stage'],
  ageMs: number | null,
];

/**
 * Looks up each key separately (`offset 0`). With a join, PostgreSQL reads all intents of the
 * integration for every page once it estimates that there are few, or has no statistics yet.
 */
export async function readRecords(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<KnownRecords> {
  const known = new KeyMap<KnownRecord>();
  if (keys.length === 0) return new KnownRecords(known);
  const { rows } = await db.query<[...Row]>({
    ...namedQuery(
      'portal-sync-records',
      `select k.nth::int, r.journey, r.deleted_at_ms, r.listed_at_ms, r.missing, r.tstamp_ms,
         r.edits, i.number, i.method, i.fields, i.sent_row, i.stage, i.age_ms
       from unnest($2::text[], $3::uuid[]) with ordinality as k (table_name, id, nth)
       left join lateral (
         select true as there, journey, deleted_at_ms::float8, listed_at_ms::float8, missing, tstamp_ms, edits
         from __portal_sync__.record r where r.state_id = $1 and r.table_name = k.table_name and r.id = k.id offset 0
       ) r on true
       left join lateral (
         select number::float8 as number, method, fields, sent_row, ${stageSql} as stage,
           case when is_superseded then extract(epoch from now() - sent_at)::float8 * 1000 end as age_ms
         from __portal_sync__.intent i
         where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id order by i.number offset 0
       ) i on true
       where r.there or i.number is not null`,
      [stateId, ...keyColumns(keys)],
    ),
    rowMode: 'array',
  });
  for (const [nth, journey, deletedAtMs, listedAtMs, missing, tstampMs, edits, number, ...intent] of rows) {
    const key = keys[nth - 1];
    if (!key) continue;
    const [method, fields, row, stage, ageMs] = intent;
    const before = known.get(key)?.intents ?? [];
    const read = number === null ? null : { number, method, fields, row, stage };
    const intents = read ? [...before, ageMs === null ? read : { ...read, ageMs }] : before;
    known.set(key, { journey, intents, deletedAtMs, tstampMs, edits, listedAtMs, missing });
  }
  return new KnownRecords(known);
}

export interface RecordChange {
  readonly key: RecordKey;
  readonly journey: Fields | null;
  readonly deletedAtMs: number | null;
  readonly tstampMs?: number | null;
  readonly edits?: KnownRecord['edits'];
  readonly listedAtMs?: number | null;
  readonly missing?: 'waits' | 'again' | null;
}

export async function saveRecords(db: Db, stateId: number, changes: readonly RecordChange[]): Promise<void> {
  if (changes.length === 0) return;
  await runInParts(
    changes,
    ({ journey }) => journey,
    async (part, journeys) => {
      const { rows } = await db.query(
        namedQuery(
          'portal-sync-save-records',
          `insert into __portal_sync__.record (state_id, table_name, id, journey, deleted_at_ms, listed_at_ms, missing,
             tstamp_ms, edits)
           select $1, table_name, id, ${withoutNullSql('journey')}, deleted_at_ms, listed_at_ms, missing, tstamp_ms, edits
           from rows from (unnest($2::text[]), unnest($3::uuid[]), json_array_elements($4), unnest($5::float8[]),
             unnest($6::float8[]), unnest($7::text[]), unnest($8::float8[]), unnest($9::jsonb[]))
             as c (table_name, id, journey, deleted_at_ms, listed_at_ms, missing, tstamp_ms, edits)
           on conflict (state_id, table_name, id) do update set journey = excluded.journey,
             deleted_at_ms = excluded.deleted_at_ms, listed_at_ms = excluded.listed_at_ms, missing = excluded.missing,
             tstamp_ms = excluded.tstamp_ms, edits = excluded.edits`,
          [
            stateId,
            ...keyColumns(part.map(({ key }) => key)),
            journeys,
            part.map(({ deletedAtMs }) => deletedAtMs),
            part.map(({ listedAtMs = null }) => listedAtMs),
            part.map(({ missing = null }) => missing),
            part.map(({ tstampMs = null }) => tstampMs),
            part.map(({ edits = null }) => edits && JSON.stringify(edits)),
          ],
        ),
      );
      return rows;
    },
  );
}

/** Returns the ids of objects Journey is known to have, in order, behind `afterId`. */
export async function readKnownIds(
  db: Db,
  stateId: number,
  table: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id::text from __portal_sync__.record
     where state_id = $1 and table_name = $2 and journey is not null and ($3::uuid is null or id > $3) order by id limit $4`,
    [stateId, table, afterId, limit],
  );
  return rows.map(({ id }) => id);
}

/** Returns which of these records Journey is known to have, or was sent. */
export async function findInJourney(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<RecordKey[]> {
  const { rows } = await db.query<RecordKey>(
    `select k.table_name as "table", k.id::text from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     where exists (
       select from __portal_sync__.record r
       where r.state_id = $1 and r.table_name = k.table_name and r.id = k.id and r.journey is not null
     ) or exists (
       select from __portal_sync__.intent i where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id
     )`,
    [stateId, ...keyColumns(keys)],
  );
  return rows;
}

/** Counts the objects Journey is known to have. */
export async function countKnown(db: Db, stateId: number, table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from __portal_sync__.record where state_id = $1 and table_name = $2 and journey is not null`,
    [stateId, table],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Clears listings after the op-log was read past them all, so that its entries count again. Returns
 * how many were cleared, up to the limit.
 */
export async function clearListings(db: Db, stateId: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `update __portal_sync__.record r set listed_at_ms = null
     from (select table_name, id from __portal_sync__.record where state_id = $1 and listed_at_ms is not null limit $2) as l
     where r.state_id = $1 and r.table_name = l.table_name and r.id = l.id`,
    [stateId, limit],
  );
  return rowCount ?? 0;
}

/** Returns records that were missing in Journey and wait for the op-log. */
export async function readWaiting(db: Db, stateId: number, limit: number): Promise<RecordKey[]> {
  const { rows } = await db.query<RecordKey>(
    `select table_name as "table", id::text from __portal_sync__.record
     where state_id = $1 and missing = 'waits' limit $2`,
    [stateId, limit],
  );
  return rows;
}

/** Has records sent again that were missing in Journey and wait. */
export async function retryWaiting(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  await db.query(
    `with retried as (
       update __portal_sync__.record r set missing = 'again'
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       where r.state_id = $1 and r.table_name = k.table_name and r.id = k.id and r.missing = 'waits'
       returning r.table_name, r.id
     )
     insert into __portal_sync__.dirty (state_id, table_name, id) select $1::int, table_name, id from retried
     on conflict (state_id, table_name, id) do update set mark = excluded.mark`,
    [stateId, ...keyColumns(keys)],
  );
}
