/**
 * The trail: what happened to each record, kept for some days and up to a size. A row holds the
 * records of a page and table, 17 bytes each: the id, and a byte with a code and the seconds since
 * the row's time. It is written in the page's transaction. A page of one record is added to the row
 * of those before it, because a row of its own takes 128 bytes.
 */
import { type TrailEntry, type TrailEvent, trailDays } from '@portal/contract/sync/trail';
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import { KeyMap, type RecordKey } from '../record/record-key.ts';

/** Stored: a code must never change its meaning. Those of one direction have bit 16 in common. */
const codes: Readonly<Record<TrailEvent, number>> = {
  sent: 1,
  'deleted in Journey': 2,
  'not in Journey': 3,
  'rejected by Journey': 4,
  'waiting for Journey': 5,
  written: 16,
  'deleted in Helium': 17,
  merged: 18,
  unchanged: 19,
  'waiting for Helium': 20,
  parked: 21,
  'rejected by Helium': 22,
  skipped: 23,
};
const eventsByCode = new Map(Object.entries(codes).map(([event, code]) => [code, event as TrailEvent]));

const idBytes = 16;
const entryBytes = idBytes + 1;
/** The rest of the byte with the code holds seconds. */
const codeValues = 32;
const maxSharedSecs = 7;
const maxSharedBytes = 16 * entryBytes;

const retention = `interval '${trailDays} days'`;
/** The max size of an integration's trail, with about 64 bytes for each row. */
const maxBytes = 128 * 1024 * 1024;
/** How far both limits may be exceeded, so that rows are removed many at a time. */
const slack = { age: `interval '1 hour'`, bytes: 1024 * 1024 };
const removedAtOnce = 1000;

export interface RecordEvent {
  readonly key: RecordKey;
  readonly event: TrailEvent;
}

/**
 * Adds what happened to the records of a page.
 *
 * @param version of the log that the page was read to; null if it does not come from a log
 */
export async function addToTrail(
  db: Db,
  stateId: number,
  { version, events }: { readonly version: string | null; readonly events: readonly RecordEvent[] },
): Promise<void> {
  const byTable = new Map<string, RecordEvent[]>();
  for (const event of events) {
    const others = byTable.get(event.key.table);
    if (others) others.push(event);
    else byTable.set(event.key.table, [event]);
  }
  let isOverdue = false;
  for (const [table, some] of byTable) {
    const values = [stateId, table, version, toBytes(some)];
    if (some.length === 1) {
      const { rowCount } = await db.query(namedQuery('portal-sync-trail-share', shareSql, values));
      if (rowCount === 1) continue;
    }
    const { rows } = await db.query<{ isOverdue: boolean }>(namedQuery('portal-sync-trail', addSql, values));
    isOverdue ||= rows[0]?.isOverdue ?? false;
  }
  if (isOverdue) await removeRows(db, 'trail', overdueSql, [stateId]);
}

/** Each reads one entry of the index, whatever the plan was made for. */
const oldestSql = 'select at, total from __portal_sync__.trail where state_id = $1 order by total limit 1';
const newestTotalSql =
  'select total + octet_length(entries) + 64 from __portal_sync__.trail where state_id = $1 order by total desc limit 1';

const addSql = `with newest as (select coalesce((${newestTotalSql}), 0) as total), added as (
    insert into __portal_sync__.trail (state_id, table_name, version, entries, total)
    select $1, $2, $3, $4, newest.total from newest
  )
  select o.at < now() - (${retention} + ${slack.age}) or newest.total - o.total > ${maxBytes + slack.bytes} as "isOverdue"
  from newest, (${oldestSql}) o`;

/**
 * Adds one record to the newest row of its table and direction, unless a row since then has it:
 * what happened to a record stays in order. A row that the other direction has locked is left.
 */
const shareSql = `with recent as (
    select ctid as address, table_name, version, entries, at, total from __portal_sync__.trail
    where state_id = $1 order by total desc limit 8
  ), chosen as (
    select r.address, r.total from recent r
    where r.table_name = $2 and (r.version is null) = ($3::numeric is null)
      and r.at > now() - interval '${maxSharedSecs} seconds' and octet_length(r.entries) < ${maxSharedBytes}
      and (get_byte(r.entries, ${idBytes}) & 16) = (get_byte($4::bytea, ${idBytes}) & 16)
      and not exists (select from recent n where n.total >= r.total
        and position(substring($4::bytea for ${idBytes}) in n.entries) > 0)
    order by r.total desc limit 1
  ), locked as (
    select t.ctid as address from __portal_sync__.trail t
    where t.ctid = (select address from chosen) for no key update skip locked
  )
  update __portal_sync__.trail t set version = greatest(t.version, $3),
    entries = t.entries || set_byte($4::bytea, ${idBytes},
      get_byte($4::bytea, ${idBytes}) + ${codeValues} * greatest(floor(extract(epoch from now() - t.at)), 0)::int)
  from locked where t.ctid = locked.address`;

/**
 * Only rows of the last seconds are changed, which are never overdue. While a statement runs, no
 * row gets the address of one that it has seen. So none is locked.
 */
const overdueSql = `select o.ctid from (
    select ctid, at, total from __portal_sync__.trail where state_id = $1 order by total limit ${removedAtOnce}
  ) o where o.at < now() - ${retention} or o.total < (${newestTotalSql}) - ${maxBytes}`;

function toBytes(events: readonly RecordEvent[]): Buffer {
  const bytes = Buffer.allocUnsafe(events.length * entryBytes);
  for (const [index, { key, event }] of events.entries()) {
    bytes.write(key.id.replaceAll('-', ''), index * entryBytes, idBytes, 'hex');
    bytes[index * entryBytes + idBytes] = codes[event];
  }
  return bytes;
}

/** Reads the trail of records, the newest entries of each first. */
export async function readTrail(
  db: Db,
  stateId: number,
  keys: readonly RecordKey[],
  limit: number,
): Promise<KeyMap<TrailEntry[]>> {
  const found = new KeyMap<TrailEntry[]>();
  const { rows } = await db.query<RecordKey & { at: Date; version: string | null; code: number }>(
    `select t.at, t.version::text, k.table_name as "table", k.id::text, get_byte(t.entries, p + ${idBytes - 1}) as code
     from __portal_sync__.trail t
     join unnest($2::text[], $3::uuid[]) as k (table_name, id) on k.table_name = t.table_name
     cross join lateral (select position(uuid_send(k.id) in t.entries) as p offset 0) found
     where t.state_id = $1 and t.at > now() - ${retention} and p % ${entryBytes} = 1
     order by t.total desc`,
    [stateId, keys.map(({ table }) => table), keys.map(({ id }) => id)],
  );
  for (const { at: rowAt, version, code: byte, ...key } of rows) {
    const event = eventsByCode.get(byte % codeValues);
    const at = new Date(rowAt.getTime() + Math.floor(byte / codeValues) * 1_000);
    const entries = found.get(key) ?? [];
    if (event === undefined || entries.length >= limit) continue;
    found.set(key, [...entries, { at: at.toISOString(), event, version }]);
  }
  return found;
}
