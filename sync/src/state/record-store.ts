/** What is known of each record, read and written a page at a time. */
import type { Fields } from '../engine/fields.ts';
import { keyText, type RecordKey } from '../engine/record-key.ts';
import type { Intent, RecordState } from '../engine/record-state.ts';
import type { Db } from '../helium/helium-end.ts';

export interface KnownRecord extends RecordState {
  /** Entries of the op-log older than this are older than what was seen; null: none was listed. */
  readonly listedAtMs: number | null;
  readonly missing: 'waits' | 'again' | null;
  /** Whether there is a row of it. */
  readonly isStored: boolean;
}

const UNKNOWN: KnownRecord = {
  journey: null,
  intents: [],
  deletedAtMs: null,
  listedAtMs: null,
  missing: null,
  isStored: false,
};

export class Records {
  readonly #known: ReadonlyMap<string, KnownRecord>;

  constructor(known: ReadonlyMap<string, KnownRecord>) {
    this.#known = known;
  }

  of(key: RecordKey): KnownRecord {
    return this.#known.get(keyText(key)) ?? UNKNOWN;
  }
}

function columnsOf(keys: readonly RecordKey[]): [tables: string[], ids: string[]] {
  return [keys.map(({ table }) => table), keys.map(({ id }) => id)];
}

export async function readRecords(db: Db, run: number, keys: readonly RecordKey[]): Promise<Records> {
  const found = await db.query({
    name: 'portal-sync-records',
    text: `select r.table_name, r.id::text, r.journey, r.deleted_at_ms::float8 as deleted_at_ms,
         r.listed_at_ms::float8 as listed_at_ms, r.missing
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       join __portal_sync__.record r on r.run = $1 and r.table_name = k.table_name and r.id = k.id`,
    values: [run, ...columnsOf(keys)],
  });
  const intents = await db.query({
    name: 'portal-sync-intents',
    text: `select i.table_name, i.id::text, i.no::float8 as no, i.method, i.fields, i.stage
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       join __portal_sync__.intent i on i.run = $1 and i.table_name = k.table_name and i.id = k.id
       order by i.no`,
    values: [run, ...columnsOf(keys)],
  });
  const known = new Map<string, KnownRecord>();
  for (const row of found.rows) {
    known.set(`${row.table_name}/${row.id}`, {
      journey: row.journey,
      intents: [],
      deletedAtMs: row.deleted_at_ms,
      listedAtMs: row.listed_at_ms,
      missing: row.missing,
      isStored: true,
    });
  }
  for (const { table_name, id, no, method, fields, stage } of intents.rows) {
    const key = `${table_name}/${id}`;
    const before = known.get(key) ?? UNKNOWN;
    known.set(key, { ...before, intents: [...before.intents, { no, method, fields, stage }] });
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

export async function saveRecords(db: Db, run: number, changes: readonly RecordChange[]): Promise<void> {
  if (changes.length === 0) return;
  const [tables, ids] = columnsOf(changes.map(({ key }) => key));
  await db.query({
    name: 'portal-sync-save-records',
    text: `insert into __portal_sync__.record (run, table_name, id, journey, deleted_at_ms, listed_at_ms, missing)
       select $1, * from unnest($2::text[], $3::uuid[], $4::jsonb[], $5::float8[], $6::float8[], $7::text[])
       on conflict (run, table_name, id) do update set journey = excluded.journey,
         deleted_at_ms = excluded.deleted_at_ms, listed_at_ms = excluded.listed_at_ms, missing = excluded.missing`,
    values: [
      run,
      tables,
      ids,
      changes.map(({ journey }) => (journey === null ? null : JSON.stringify(journey))),
      changes.map(({ deletedAtMs }) => deletedAtMs),
      changes.map(({ listedAtMs = null }) => listedAtMs),
      changes.map(({ missing = null }) => missing),
    ],
  });
}

/** What nothing was heard of for so long will not come any more. */
const GHOST_LIFE = `interval '10 minutes'`;

export interface NewIntent {
  readonly key: RecordKey;
  readonly method: Intent['method'];
  readonly fields: Fields;
}

/** Remembers writes before they are sent. Those of the same records that nobody answered for become ghosts. */
export async function addIntents(db: Db, run: number, added: readonly NewIntent[]): Promise<number[]> {
  const [tables, ids] = columnsOf(added.map(({ key }) => key));
  await db.query({
    name: 'portal-sync-ghosts',
    text: `with gone as (
         delete from __portal_sync__.intent i using unnest($2::text[], $3::uuid[]) as k (table_name, id)
         where i.run = $1 and i.table_name = k.table_name and i.id = k.id and i.stage = 'ghost'
           and i.sent_at < now() - ${GHOST_LIFE})
       update __portal_sync__.intent i set stage = 'ghost'
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       where i.run = $1 and i.table_name = k.table_name and i.id = k.id and i.stage = 'sent'`,
    values: [run, tables, ids],
  });
  const { rows } = await db.query({
    name: 'portal-sync-add-intents',
    text: `insert into __portal_sync__.intent (run, table_name, id, method, fields, stage)
       select $1, table_name, id, method, fields, 'sent'
       from unnest($2::text[], $3::uuid[], $4::text[], $5::jsonb[]) with ordinality
         as a (table_name, id, method, fields, nth) order by nth
       returning no::float8 as no`,
    values: [run, tables, ids, added.map(({ method }) => method), added.map(({ fields }) => JSON.stringify(fields))],
  });
  return rows.map(({ no }) => no);
}

export interface IntentRef {
  readonly key: RecordKey;
  readonly no: number;
}

function refColumns(refs: readonly IntentRef[]): [tables: string[], ids: string[], nos: number[]] {
  return [...columnsOf(refs.map(({ key }) => key)), refs.map(({ no }) => no)];
}

export async function acknowledgeIntents(db: Db, run: number, refs: readonly IntentRef[]): Promise<void> {
  if (refs.length === 0) return;
  await db.query({
    name: 'portal-sync-acknowledge',
    text: `update __portal_sync__.intent i set stage = 'acknowledged'
       from unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, no)
       where i.run = $1 and i.table_name = k.table_name and i.id = k.id and i.no = k.no`,
    values: [run, ...refColumns(refs)],
  });
}

export async function removeIntents(db: Db, run: number, refs: readonly IntentRef[]): Promise<void> {
  if (refs.length === 0) return;
  await db.query({
    name: 'portal-sync-remove-intents',
    text: `delete from __portal_sync__.intent i
       using unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, no)
       where i.run = $1 and i.table_name = k.table_name and i.id = k.id and i.no = k.no`,
    values: [run, ...refColumns(refs)],
  });
}

/** Whether there are writes of which nobody knows whether Journey has carried them out. */
export async function hasUnanswered(db: Db, run: number): Promise<boolean> {
  const { rows } = await db.query(
    `select exists (select from __portal_sync__.intent where run = $1 and stage = 'sent') as "isOpen"`,
    [run],
  );
  return rows[0]?.isOpen ?? false;
}

/** Highest number of an acknowledged intent, 0 when there is none. */
export async function lastAcknowledged(db: Db, run: number): Promise<number> {
  const { rows } = await db.query(
    `select coalesce(max(no), 0)::float8 as no from __portal_sync__.intent where run = $1 and stage = 'acknowledged'`,
    [run],
  );
  return rows[0]?.no ?? 0;
}

/**
 * The op-log was read to its end after Journey had acknowledged these: what has not come back changed nothing there, and
 * its records are looked at once more. Ghosts that nothing was heard of for ten minutes will not come any more.
 */
export async function settleIntents(db: Db, run: number, upTo: number): Promise<void> {
  await db.query(
    `with settled as (
       delete from __portal_sync__.intent
       where run = $1 and ((stage = 'acknowledged' and no <= $2) or (stage = 'ghost' and sent_at < now() - ${GHOST_LIFE}))
       returning table_name, id
     ), tried as (
       update __portal_sync__.record set missing = 'again' where run = $1 and missing = 'waits' returning table_name, id
     )
     insert into __portal_sync__.dirty (run, table_name, id)
     select distinct $1::int, table_name, id from (table settled union all table tried) as s
     on conflict (run, table_name, id) do update set mark = excluded.mark`,
    [run, upTo],
  );
}

/** Ids of the objects Journey is known to have, in their order, those behind `afterId`. */
export async function readKnownIds(
  db: Db,
  run: number,
  table: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id::text from __portal_sync__.record
     where run = $1 and table_name = $2 and journey is not null and ($3::uuid is null or id > $3) order by id limit $4`,
    [run, table, afterId, limit],
  );
  return rows.map(({ id }) => id);
}

/** The op-log was read past every listing: from here on its entries are the news. Answers how many there were, up to the limit. */
export async function forgetListings(db: Db, run: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `update __portal_sync__.record r set listed_at_ms = null
     from (select table_name, id from __portal_sync__.record where run = $1 and listed_at_ms is not null limit $2) as l
     where r.run = $1 and r.table_name = l.table_name and r.id = l.id`,
    [run, limit],
  );
  return rowCount ?? 0;
}
