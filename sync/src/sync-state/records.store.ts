/** What is known of each record, read and written a page at a time. */

import type { Db } from '../helium/helium-gateway.ts';
import type { Fields } from '../record/fields.ts';
import { KeyMap, type RecordKey } from '../record/record-key.ts';
import type { Intent, RecordState } from '../record/record-state.ts';
import { inParts, keyColumns } from './array-parameters.ts';
import { isLive } from './intents.store.ts';

export interface KnownRecord extends RecordState {
  /** Entries of the op-log older than this are older than what was seen; null: none was listed. */
  readonly listedAtMs: number | null;
  readonly missing: 'waits' | 'again' | null;
}

const unknown: KnownRecord = { journey: null, intents: [], deletedAtMs: null, listedAtMs: null, missing: null };

export class Records {
  readonly #known: KeyMap<KnownRecord>;

  constructor(known: KeyMap<KnownRecord>) {
    this.#known = known;
  }

  of(key: RecordKey): KnownRecord {
    return this.#known.get(key) ?? unknown;
  }
}

type Row = readonly [
  place: number,
  journey: Fields | null,
  deletedAtMs: number | null,
  listedAtMs: number | null,
  missing: KnownRecord['missing'],
  number: number | null,
  method: Intent['method'],
  fields: Fields,
  stage: Intent['stage'],
];

/**
 * As in `intent_with_stage`, whose question for the open calls is asked once for each intent: that
 * walks over every version of the integration's row that a long transaction keeps.
 */
const stageSql = `case when i.is_ghost then 'ghost'
    when i.call = any((select open_calls from __portal_sync__.run where state_id = $1)::bigint[]) then 'sent'
    else 'acknowledged' end`;

/**
 * Each key is looked up by itself (`offset 0`): joined, PostgreSQL reads all of the integration's
 * intents for every page as soon as it finds that there are few, or believes so because it has not
 * counted them yet.
 */
export async function readRecords(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<Records> {
  const known = new KeyMap<KnownRecord>();
  if (keys.length === 0) return new Records(known);
  const { rows } = await db.query<[...Row]>({
    name: 'portal-sync-records',
    text: `select k.place::int, r.journey, r.deleted_at_ms, r.listed_at_ms, r.missing, i.number, i.method, i.fields, i.stage
       from unnest($2::text[], $3::uuid[]) with ordinality as k (table_name, id, place)
       left join lateral (
         select true as there, journey, deleted_at_ms::float8, listed_at_ms::float8, missing
         from __portal_sync__.record r where r.state_id = $1 and r.table_name = k.table_name and r.id = k.id offset 0
       ) r on true
       left join lateral (
         select number::float8 as number, method, fields, ${stageSql} as stage
         from __portal_sync__.intent i
         where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and ${isLive} order by number offset 0
       ) i on true
       where r.there or i.number is not null`,
    values: [stateId, ...keyColumns(keys)],
    rowMode: 'array',
  });
  for (const [place, journey, deletedAtMs, listedAtMs, missing, number, method, fields, stage] of rows) {
    const key = keys[place - 1];
    if (!key) continue;
    const intents = number === null ? [] : [...(known.get(key)?.intents ?? []), { number, method, fields, stage }];
    known.set(key, { journey, intents, deletedAtMs, listedAtMs, missing });
  }
  return new Records(known);
}

export interface RecordChange {
  readonly key: RecordKey;
  readonly journey: Fields | null;
  readonly deletedAtMs: number | null;
  readonly listedAtMs?: number | null;
  readonly missing?: 'waits' | 'again' | null;
}

export async function saveRecords(db: Db, stateId: number, changes: readonly RecordChange[]): Promise<void> {
  if (changes.length === 0) return;
  await inParts(
    changes,
    ({ journey }) => journey,
    async (part, journeys) => {
      const { rows } = await db.query({
        name: 'portal-sync-save-records',
        text: `insert into __portal_sync__.record (state_id, table_name, id, journey, deleted_at_ms, listed_at_ms, missing)
           select $1, table_name, id, nullif(journey, 'null'), deleted_at_ms, listed_at_ms, missing
           from rows from (unnest($2::text[]), unnest($3::uuid[]), jsonb_array_elements($4), unnest($5::float8[]),
             unnest($6::float8[]), unnest($7::text[])) as c (table_name, id, journey, deleted_at_ms, listed_at_ms, missing)
           on conflict (state_id, table_name, id) do update set journey = excluded.journey,
             deleted_at_ms = excluded.deleted_at_ms, listed_at_ms = excluded.listed_at_ms, missing = excluded.missing`,
        values: [
          stateId,
          ...keyColumns(part.map(({ key }) => key)),
          journeys,
          part.map(({ deletedAtMs }) => deletedAtMs),
          part.map(({ listedAtMs = null }) => listedAtMs),
          part.map(({ missing = null }) => missing),
        ],
      });
      return rows;
    },
  );
}

/** Ids of the objects Journey is known to have, in their order, those behind `afterId`. */
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

/**
 * The op-log was read past every listing: from here on its entries are the news. Answers how many
 * there were, up to the limit.
 */
export async function forgetListings(db: Db, stateId: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `update __portal_sync__.record r set listed_at_ms = null
     from (select table_name, id from __portal_sync__.record where state_id = $1 and listed_at_ms is not null limit $2) as l
     where r.state_id = $1 and r.table_name = l.table_name and r.id = l.id`,
    [stateId, limit],
  );
  return rowCount ?? 0;
}
