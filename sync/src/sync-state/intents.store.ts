/**
 * Stores our writes to Journey that have not come back in the op-log. Each belongs to a call, which
 * is one page that is sent. While the integration's row lists the call as open, it is unanswered.
 * So a single row decides the stage of a thousand intents.
 */

import type { Db } from '../helium/helium-gateway.ts';
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';
import type { Intent } from '../record/record-state.ts';
import { keyColumns, runInParts } from './array-parameters.ts';

/** A superseded intent that has not come back within this time never will. */
const supersededLifetime = `interval '10 minutes'`;

/**
 * Whether `intent i` may still explain an entry. Other intents are deleted at the next settlement.
 */
export const liveIntentSql = `(not i.is_ghost or i.sent_at >= now() - ${supersededLifetime})`;

export interface NewIntent {
  readonly key: RecordKey;
  readonly method: Intent['method'];
  readonly fields: Fields;
  readonly row: Intent['row'];
  /** The known intents of the same record. */
  readonly before: readonly Intent[];
}

/**
 * Saves writes before they are sent, for a call that the same transaction opens. Unanswered intents
 * of the same records become superseded. Returns the new ids.
 */
export async function addIntents(
  db: Db,
  stateId: number,
  call: number,
  added: readonly NewIntent[],
): Promise<number[]> {
  const resent = added.filter(({ before }) => before.some(({ stage }) => stage !== 'acknowledged'));
  if (resent.length > 0) await supersedeIntents(db, stateId, resent);
  return runInParts(
    added,
    ({ fields }) => fields,
    async (part, fields) => {
      const { rows } = await db.query<[number]>({
        name: 'portal-sync-add-intents',
        text: `insert into __portal_sync__.intent (state_id, table_name, id, method, fields, sent_row, call)
           select $1, table_name, id, method, fields, sent_row, $6
           from rows from (unnest($2::text[]), unnest($3::uuid[]), unnest($4::text[]), jsonb_array_elements($5),
             unnest($7::jsonb[])) with ordinality as a (table_name, id, method, fields, sent_row, nth) order by nth
           returning number::float8`,
        values: [
          stateId,
          ...keyColumns(part.map(({ key }) => key)),
          part.map(({ method }) => method),
          fields,
          call,
          part.map(({ row }) => row && JSON.stringify(row)),
        ],
        rowMode: 'array',
      });
      return rows.map(([number]) => number);
    },
  );
}

async function supersedeIntents(db: Db, stateId: number, intents: readonly NewIntent[]): Promise<void> {
  await db.query({
    name: 'portal-sync-supersede',
    text: `with expired as (
         delete from __portal_sync__.intent i using unnest($2::text[], $3::uuid[]) as k (table_name, id)
         where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and i.is_ghost
           and i.sent_at < now() - ${supersededLifetime})
       update __portal_sync__.intent_with_stage i set is_ghost = true
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and i.stage = 'sent'`,
    values: [stateId, ...keyColumns(intents.map(({ key }) => key))],
  });
}

export interface IntentRef {
  readonly key: RecordKey;
  readonly number: number;
}

/**
 * Looks up each intent separately, as `readRecords` does. They cannot change, because the
 * integration's row is locked.
 */
export async function removeIntents(db: Db, stateId: number, refs: readonly IntentRef[]): Promise<void> {
  if (refs.length === 0) return;
  await db.query({
    name: 'portal-sync-remove-intents',
    text: `delete from __portal_sync__.intent where ctid = any (array(
         select i.ctid from unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, number)
         cross join lateral (
           select i.ctid from __portal_sync__.intent i
           where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and i.number = k.number offset 0
         ) i))`,
    values: [stateId, ...keyColumns(refs.map(({ key }) => key)), refs.map(({ number }) => number)],
  });
}

/** Whether there are writes that Journey may or may not have applied. */
export async function hasUnanswered(db: Db, stateId: number): Promise<boolean> {
  const { rows } = await db.query(
    `select exists (select from __portal_sync__.intent_with_stage where state_id = $1 and stage = 'sent') as "isOpen"`,
    [stateId],
  );
  return rows[0]?.isOpen ?? false;
}

/** Returns the highest id of an acknowledged intent; 0 when there is none. */
export async function lastAcknowledged(db: Db, stateId: number): Promise<number> {
  const { rows } = await db.query(
    `select coalesce(max(number), 0)::float8 as number from __portal_sync__.intent_with_stage
     where state_id = $1 and stage = 'acknowledged'`,
    [stateId],
  );
  return rows[0]?.number ?? 0;
}

/**
 * Settles intents after the op-log was read to its end. Acknowledged writes that have not come back
 * changed nothing, and their records are checked again. If nothing else is known of such a record,
 * Journey has the values that were written. Superseded intents older than ten minutes are deleted.
 */
export async function settleIntents(db: Db, stateId: number, upTo: number): Promise<void> {
  await db.query(
    `with settled as (
       delete from __portal_sync__.intent_with_stage i
       where i.state_id = $1 and (i.stage = 'acknowledged' and i.number <= $2 or not ${liveIntentSql})
       returning i.table_name, i.id, i.number, i.method, i.fields, i.stage
     ), written as (
       select distinct on (table_name, id) table_name, id, fields from settled
       where stage = 'acknowledged' and method <> 'delete' order by table_name, id, number desc
     ), known as (
       update __portal_sync__.record r set journey = coalesce(r.journey, '{}') || w.fields from written w
       where r.state_id = $1 and r.table_name = w.table_name and r.id = w.id and r.deleted_at_ms is null
         and r.missing is null and (r.journey is null or jsonb_strip_nulls(r.journey) = '{}')
     ), tried as (
       update __portal_sync__.record set missing = 'again' where state_id = $1 and missing = 'waits' returning table_name, id
     )
     insert into __portal_sync__.dirty (state_id, table_name, id)
     select distinct $1::int, table_name, id
     from (select table_name, id from settled union all table tried) as s
     on conflict (state_id, table_name, id) do update set mark = excluded.mark`,
    [stateId, upTo],
  );
  // Closes calls that will never be answered, because the process that made them has stopped.
  await db.query(
    `update __portal_sync__.run set open_calls = array(
       select call from unnest(open_calls) as o (call)
       where exists (select from __portal_sync__.intent i where i.state_id = $1 and i.call = o.call and not i.is_ghost))
     where state_id = $1 and open_calls <> '{}'`,
    [stateId],
  );
}
