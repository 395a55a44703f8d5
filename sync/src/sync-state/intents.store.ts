/**
 * Our writes to Journey that have not come back in the op-log. Each belongs to a call, a page that is sent: while the
 * integration's row names it among its open calls, nobody has answered for it. So one row says what became of a thousand.
 */

import type { Db } from '../helium/helium-end.ts';
import type { Fields } from '../record/fields.ts';
import type { RecordKey } from '../record/record-key.ts';
import type { Intent } from '../record/record-state.ts';
import { inParts, keyColumns, plainColumn } from './array-parameters.ts';

const openCalls = '(select open_calls from __portal_sync__.run where no = $1)::bigint[]';

/** Where `intent i` is of the integration $1. Those without a call are from before there were calls. */
const isAnswered = `(i.stage = 'acknowledged' or i.stage = 'sent' and i.call is not null and i.call <> all(${openCalls}))`;
const isUnanswered = `(i.stage = 'sent' and (i.call is null or i.call = any(${openCalls})))`;

/** The stage of `intent i` of the integration $1. */
export const stageSql = `case when ${isAnswered} then 'acknowledged' else i.stage end`;

/** What nothing was heard of for so long will not come any more. */
const ghostLife = `interval '10 minutes'`;

/** Whether `intent i` may still explain what comes; that of others is taken away at the next settling. */
export const isLive = `(i.stage <> 'ghost' or i.sent_at >= now() - ${ghostLife})`;

export interface NewIntent {
  readonly key: RecordKey;
  readonly method: Intent['method'];
  readonly fields: Fields;
  /** Those of the same record that are known. */
  readonly before: readonly Intent[];
}

/**
 * Remembers writes before they are sent, as an open call. Those of the same records that nobody answered for become
 * ghosts. Answers their numbers.
 */
export async function addIntents(db: Db, run: number, call: number, added: readonly NewIntent[]): Promise<number[]> {
  const again = added.filter(({ before }) => before.some(({ stage }) => stage !== 'acknowledged'));
  if (again.length > 0) await makeGhosts(db, run, again);
  return inParts(
    added,
    ({ fields }) => fields,
    async (part, fields) => {
      const { rows } = await db.query<[number]>({
        name: 'portal-sync-add-intents-2',
        text: `with opened as (
             update __portal_sync__.run set last_call = $6, open_calls = open_calls || $6::bigint
             where no = $1 and last_call <> $6
           )
           insert into __portal_sync__.intent (run, table_name, id, method, fields, stage, call)
           select $1, table_name, id, method, fields, 'sent', $6
           from rows from (unnest($2::text[]), unnest($3::uuid[]), unnest($4::text[]), jsonb_array_elements($5)) with ordinality
             as a (table_name, id, method, fields, nth) order by nth
           returning no::float8`,
        values: [
          run,
          ...keyColumns(part.map(({ key }) => key)),
          plainColumn(part.map(({ method }) => method)),
          fields,
          call,
        ],
        rowMode: 'array',
      });
      return rows.map(([no]) => no);
    },
  );
}

async function makeGhosts(db: Db, run: number, of: readonly NewIntent[]): Promise<void> {
  await db.query({
    name: 'portal-sync-ghosts-2',
    text: `with gone as (
         delete from __portal_sync__.intent i using unnest($2::text[], $3::uuid[]) as k (table_name, id)
         where i.run = $1 and i.table_name = k.table_name and i.id = k.id and i.stage = 'ghost'
           and i.sent_at < now() - ${ghostLife})
       update __portal_sync__.intent i set stage = 'ghost'
       from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       where i.run = $1 and i.table_name = k.table_name and i.id = k.id and ${isUnanswered}`,
    values: [run, ...keyColumns(of.map(({ key }) => key))],
  });
}

export interface IntentRef {
  readonly key: RecordKey;
  readonly no: number;
}

/** Each is looked up by itself, as in `readRecords`; nobody changes them meanwhile, the integration's row being locked. */
export async function removeIntents(db: Db, run: number, refs: readonly IntentRef[]): Promise<void> {
  if (refs.length === 0) return;
  await db.query({
    name: 'portal-sync-remove-intents-2',
    text: `delete from __portal_sync__.intent where ctid = any (array(
         select i.ctid from unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, no)
         cross join lateral (
           select i.ctid from __portal_sync__.intent i
           where i.run = $1 and i.table_name = k.table_name and i.id = k.id and i.no = k.no offset 0
         ) i))`,
    values: [run, ...keyColumns(refs.map(({ key }) => key)), plainColumn(refs.map(({ no }) => no))],
  });
}

/** Whether there are writes of which nobody knows whether Journey has carried them out. */
export async function hasUnanswered(db: Db, run: number): Promise<boolean> {
  const { rows } = await db.query(
    `select exists (select from __portal_sync__.intent i where i.run = $1 and ${isUnanswered}) as "isOpen"`,
    [run],
  );
  return rows[0]?.isOpen ?? false;
}

/** Highest number of an acknowledged intent, 0 when there is none. */
export async function lastAcknowledged(db: Db, run: number): Promise<number> {
  const { rows } = await db.query(
    `select coalesce(max(i.no), 0)::float8 as no from __portal_sync__.intent i where i.run = $1 and ${isAnswered}`,
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
       delete from __portal_sync__.intent i
       where i.run = $1 and ((${isAnswered} and i.no <= $2) or (i.stage = 'ghost' and i.sent_at < now() - ${ghostLife}))
       returning i.table_name, i.id
     ), tried as (
       update __portal_sync__.record set missing = 'again' where run = $1 and missing = 'waits' returning table_name, id
     )
     insert into __portal_sync__.dirty (run, table_name, id)
     select distinct $1::int, table_name, id from (table settled union all table tried) as s
     on conflict (run, table_name, id) do update set mark = excluded.mark`,
    [run, upTo],
  );
  // Calls nobody will answer for any more, because the process that made them is gone.
  await db.query(
    `update __portal_sync__.run set open_calls = array(
       select call from unnest(open_calls) as o (call)
       where exists (select from __portal_sync__.intent i where i.run = $1 and i.call = o.call and i.stage = 'sent'))
     where no = $1 and open_calls <> '{}'`,
    [run],
  );
}
