/**
 * Stores our writes to Journey that have not come back in the op-log. Each belongs to a call, which
 * is one page that is sent. While the integration's row lists the call as open, it is unanswered.
 * So a single row decides the stage of a thousand intents.
 */
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows, removeRowsSql } from '../helium/remove-state-rows.ts';
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';
import type { Intent } from '../record/record-state.ts';
import { keyColumns, runInParts, withoutNullSql } from './array-parameters.ts';

/**
 * The stage of `intent i` of the integration `$1`; see `record/record-state.ts`. The open calls are
 * read once for all intents: each reading scans every version of the integration's row that a long
 * transaction keeps.
 */
export const stageSql = `case when i.is_superseded then 'superseded'
    when i.call = any((select open_calls from __portal_sync__.run where state_id = $1)::bigint[]) then 'sent'
    else 'acknowledged' end`;

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
  if (resent.length > 0)
    await supersedeUnanswered(
      db,
      stateId,
      resent.map(({ key }) => key),
    );
  return runInParts(
    added,
    ({ fields }) => fields,
    async (part, fields) => {
      const { rows } = await db.query<[number]>({
        ...namedQuery(
          'portal-sync-add-intents',
          `insert into __portal_sync__.intent (state_id, table_name, id, method, fields, sent_row, call)
           select $1, table_name, id, method, fields, ${withoutNullSql('sent_row')}, $6
           from rows from (unnest($2::text[]), unnest($3::uuid[]), unnest($4::text[]), json_array_elements($5),
             json_array_elements($7)) with ordinality as a (table_name, id, method, fields, sent_row, nth) order by nth
           returning number::float8`,
          [
            stateId,
            ...keyColumns(part.map(({ key }) => key)),
            part.map(({ method }) => method),
            fields,
            call,
            JSON.stringify(part.map(({ row }) => row)),
          ],
        ),
        rowMode: 'array',
      });
      return rows.map(([number]) => number);
    },
  );
}

/**
 * Of superseded intents with the same content, those that were sent long ago are removed, so that
 * they do not add up while Journey does not answer.
 */
async function supersedeUnanswered(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  await db.query(
    namedQuery(
      'portal-sync-supersede',
      `with superseded as (
         update __portal_sync__.intent i set is_superseded = true
         from unnest($2::text[], $3::uuid[]) as k (table_name, id)
         where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and ${stageSql} = 'sent')
       ${removeRowsSql(
         'intent',
         `select i.ctid from __portal_sync__.intent i, unnest($2::text[], $3::uuid[]) as k (table_name, id)
          where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and i.is_superseded
            and i.sent_at < now() - interval '10 minutes'
            and exists (select from __portal_sync__.intent n where n.state_id = $1 and n.table_name = k.table_name
              and n.id = k.id and n.number > i.number and n.method = i.method and n.fields::jsonb = i.fields::jsonb)`,
       )}`,
      [stateId, ...keyColumns(keys)],
    ),
  );
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
  await db.query(
    namedQuery(
      'portal-sync-remove-intents',
      removeRowsSql(
        'intent',
        `select i.ctid from unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, number)
         cross join lateral (
           select i.ctid from __portal_sync__.intent i
           where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and i.number = k.number offset 0
         ) i`,
      ),
      [stateId, ...keyColumns(refs.map(({ key }) => key)), refs.map(({ number }) => number)],
    ),
  );
}

export type NarrowedIntent = IntentRef & Pick<Intent, 'method' | 'fields'>;

/** Lets intents only explain the echo of these fields from now on. */
export async function narrowIntents(db: Db, stateId: number, narrowed: readonly NarrowedIntent[]): Promise<void> {
  if (narrowed.length === 0) return;
  await db.query(
    `update __portal_sync__.intent i set method = n.method, fields = n.fields, is_superseded = true
     from rows from (unnest($2::text[], $3::uuid[], $4::bigint[], $5::text[]), json_array_elements($6))
       as n (table_name, id, number, method, fields)
     where i.state_id = $1 and i.table_name = n.table_name and i.id = n.id and i.number = n.number`,
    [
      stateId,
      ...keyColumns(narrowed.map(({ key }) => key)),
      narrowed.map(({ number }) => number),
      narrowed.map(({ method }) => method),
      JSON.stringify(narrowed.map(({ fields }) => fields)),
    ],
  );
}

/**
 * Moves intents to another call, which stays open: it is unknown whether Journey applied them,
 * although it has answered their call.
 */
export async function reopenIntents(db: Db, stateId: number, refs: readonly IntentRef[]): Promise<void> {
  if (refs.length === 0) return;
  await db.query(
    namedQuery(
      'portal-sync-reopen-intents',
      `with opened as (
         update __portal_sync__.run set last_call = last_call + 1, open_calls = open_calls || (last_call + 1)
         where state_id = $1 returning last_call
       )
       update __portal_sync__.intent i set call = opened.last_call
       from opened, unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, number)
       where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and i.number = k.number`,
      [stateId, ...keyColumns(refs.map(({ key }) => key)), refs.map(({ number }) => number)],
    ),
  );
}

/** Returns the highest id of an acknowledged intent; 0 when there is none. */
export async function lastAcknowledged(db: Db, stateId: number): Promise<number> {
  const { rows } = await db.query(
    `select coalesce(max(number), 0)::float8 as number from __portal_sync__.intent i
     where state_id = $1 and ${stageSql} = 'acknowledged'`,
    [stateId],
  );
  return rows[0]?.number ?? 0;
}

/** Returns the records with acknowledged intents up to one, oldest first. */
export async function readUnconfirmed(db: Db, stateId: number, upTo: number, limit: number): Promise<RecordKey[]> {
  const { rows } = await db.query<{ table: string; id: string }>(
    `select table_name as "table", id::text from (
       select table_name, id, number, ${stageSql} as stage from __portal_sync__.intent i where state_id = $1 and number <= $2
     ) i
     where stage = 'acknowledged' group by table_name, id order by min(number) limit $3`,
    [stateId, upTo, limit],
  );
  return rows;
}

/** Lets intents only explain an echo from now on. */
export async function supersede(db: Db, stateId: number, refs: readonly IntentRef[]): Promise<void> {
  if (refs.length === 0) return;
  await db.query(
    `update __portal_sync__.intent i set is_superseded = true
     from unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, number)
     where i.state_id = $1 and i.table_name = k.table_name and i.id = k.id and i.number = k.number`,
    [stateId, ...keyColumns(refs.map(({ key }) => key)), refs.map(({ number }) => number)],
  );
}

/** Removes superseded intents that were sent longer ago than this. */
export async function removeSuperseded(db: Db, stateId: number, ageMs: number): Promise<void> {
  await removeRows(
    db,
    'intent',
    `select ctid from __portal_sync__.intent
     where state_id = $1 and is_superseded and sent_at < now() - $2::float8 * interval '1 millisecond' for update`,
    [stateId, ageMs],
  );
}

/** Closes calls that will never be answered, because the process that made them has stopped. */
export async function closeCalls(db: Db, stateId: number): Promise<void> {
  await db.query(
    `update __portal_sync__.run set open_calls = array(
       select call from unnest(open_calls) as o (call)
       where exists (select from __portal_sync__.intent i where i.state_id = $1 and i.call = o.call and not i.is_superseded))
     where state_id = $1 and open_calls <> '{}'`,
    [stateId],
  );
}
