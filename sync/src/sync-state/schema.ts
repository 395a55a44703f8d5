/**
 * The schema in which the engine stores its state, in the Helium database whose rows it writes.
 * Rows, cursors and state change in one transaction, and are restored together with the database.
 *
 *   run          one per integration: both cursors, and the fence of the process that may move them
 *   record       per object: its last state in the op-log
 *   intent       our writes to Journey that have not come back in the op-log
 *   dirty        objects to check although the change log does not name them
 *   look_again   objects that an operator wants read again on both sides
 *   rounded      objects with decimals that Journey cannot hold to the last digit
 *   held         objects that are not synced at the moment: waiting, parked, dead, skipped
 *   conflict     fields that both sides changed
 *   conflict_file   files that lost a conflict, with their bytes
 *   attachment   the values of the files that both sides have, by Journey's id
 *   file_wait    files of Journey that Helium does not have yet
 *   absence      records that one side no longer lists, until they are deleted or kept
 *   clearing     values that one side no longer has, until they are cleared or restored
 *   comparison   the result of each comparison of both sides, per table
 *   trail        what happened to each record in the last 30 days, a page per row
 *   difference   records that differ on a side whose changes are not read, as the last comparison found
 *   user_lock    users that Helium and Journey last agreed are locked, and locks requested since
 *   enrollment_request   calls for users of which the outcome is not in the app's row yet
 *   enrollment_user      users that Journey has listed
 *   enrollment_status    the last whole list of users, and who waits, for operators
 *   enrollment_brake     removals that wait for an operator, see enrollment/removal-brake.ts
 */
import { createHash } from 'node:crypto';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { StateVersionMismatch } from '../integration/state-version-mismatch.ts';

const tablesDdl = `
create schema __portal_sync__;

create table __portal_sync__.run (
  state_id int generated always as identity primary key,
  -- Names integration, schema and deployment: see integration/state-key.ts.
  state_key text not null unique,
  -- The login that the integration's app has in this database: code of other apps has another one.
  login name not null default session_user,
  fence bigint not null,
  -- Increases with each transaction of a run; only a restore of the database decreases it.
  revision bigint not null default 0,
  change_log_cursor bigint not null,
  op_log_cursor numeric(20) not null,
  -- The remaining full reads per direction: see runs.store.ts.
  snapshot_to_helium jsonb,
  snapshot_to_journey jsonb,
  -- The mapping accepted last, and the version of the configuration at that time.
  mapping jsonb,
  config_version int,
  comparison_requested_at timestamptz,
  -- The log entries at both cursors, as they were read: see runs.store.ts.
  change_log_point jsonb,
  op_log_point jsonb,
  -- The newest entry of the change log when the last call was planned: Journey may have received its edit.
  sent_point jsonb,
  -- What identifies the database and this schema, to notice that it was restored.
  helium_identity jsonb,
  -- Tables whose objects in Journey were listed to the end, and followed since: a record that is not known is absent.
  complete_tables text[] not null default '{}',
  -- When Journey's app had last been deployed, by table: see to-helium/notice-deployment.ts.
  deployments jsonb not null default '{}',
  -- What an operator has to decide before the integration runs again, and the decision: see questions.store.ts.
  question jsonb,
  answer text,
  -- Unanswered calls to Journey: their intents count as sent, all others as acknowledged.
  last_call bigint not null default 0,
  open_calls bigint[] not null default '{}'
);
create index run_login on __portal_sync__.run (login);

-- Thousands of records and intents are written per transaction, which locks the integration's row. A foreign key
-- would look up that row for each of them.
create table __portal_sync__.record (
  state_id int not null,
  table_name text not null,
  id uuid not null,
  -- As json, like the fields of an intent: it is written and read as a whole.
  journey json,
  deleted_at_ms bigint,
  -- Op-log entries older than the record's listing change nothing.
  listed_at_ms bigint,
  -- The row's _tstamp_ as it was last seen, and its values that Journey does not have: see record/helium-times.ts.
  tstamp_ms float8,
  edits jsonb,
  -- Journey had no record to patch: 'waits' for the op-log to show why, then is sent 'again'.
  missing text check (missing in ('waits', 'again')),
  primary key (state_id, table_name, id)
);
create index record_missing on __portal_sync__.record (state_id) where missing is not null;
create index record_listed on __portal_sync__.record (state_id) where listed_at_ms is not null;

create table __portal_sync__.intent (
  state_id int not null,
  table_name text not null,
  id uuid not null,
  -- Increases across all integrations.
  number bigint generated always as identity,
  call bigint not null,
  method text not null check (method in ('put', 'patch', 'delete')),
  fields json not null,
  -- When Helium wrote the row it sends: see record/helium-times.ts. Null for a delete.
  sent_row json,
  -- Sent again before Journey answered. See intents.store.ts for the other stages.
  is_superseded boolean not null default false,
  sent_at timestamptz not null default now(),
  primary key (state_id, table_name, id, number)
);

create sequence __portal_sync__.dirty_mark;

create table __portal_sync__.dirty (
  state_id int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  id uuid not null,
  -- A new value each time, so that clearing a mark that was read does not delete a newer one.
  mark bigint not null default nextval('__portal_sync__.dirty_mark'),
  primary key (state_id, table_name, id)
);

create table __portal_sync__.look_again (
  state_id int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  id uuid not null,
  primary key (state_id, table_name, id)
);

create table __portal_sync__.rounded (
  state_id int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  id uuid not null,
  primary key (state_id, table_name, id)
);

create table __portal_sync__.held (
  number bigint generated always as identity primary key,
  state_id int not null references __portal_sync__.run on delete cascade,
  direction text not null check (direction in ('helium-to-journey', 'journey-to-helium')),
  state text not null check (state in ('waiting', 'parked', 'dead', 'skipped')),
  table_name text not null,
  id uuid not null,
  kind text not null,
  reason text not null,
  missing text[] not null default '{}',
  attempts int not null default 1,
  since timestamptz not null default now(),
  last_tried timestamptz not null default now(),
  -- The time of the next retry; null when only an operator can retry.
  retry_at timestamptz,
  -- journey-to-helium: Journey's last state that Helium has.
  base jsonb,
  changed_at_ms bigint,
  helium jsonb,
  journey jsonb,
  unique (state_id, direction, table_name, id)
);
create index held_missing on __portal_sync__.held using gin (missing);
create index held_retry on __portal_sync__.held (state_id, retry_at) where retry_at is not null;

create table __portal_sync__.conflict (
  number bigint generated always as identity primary key,
  state_id int not null references __portal_sync__.run on delete cascade,
  at timestamptz not null default now(),
  table_name text not null,
  id uuid not null,
  column_name text,
  helium jsonb,
  journey jsonb,
  winner text not null,
  -- Why nothing was overwritten yet, for operators; null once it is decided.
  waits text,
  -- Who has reviewed it, and whose value the record got or kept.
  reviewed_at timestamptz,
  reviewed_by text,
  reviewed_value text check (reviewed_value in ('helium', 'journey', 'other')),
  unique (state_id, number)
);
create index conflict_to_review on __portal_sync__.conflict (state_id, table_name, column_name, number)
  where reviewed_at is null;
create index conflict_open on __portal_sync__.conflict (state_id, table_name, id) where waits is not null;
create index conflict_by_age on __portal_sync__.conflict (state_id, at);

create table __portal_sync__.conflict_file (
  number bigint generated always as identity primary key,
  state_id int not null references __portal_sync__.run on delete cascade,
  -- Null only within the transaction that keeps it.
  conflict bigint,
  column_name text not null,
  -- The side that lost it.
  side text not null check (side in ('helium', 'journey')),
  -- Of a file that was fetched only to keep it.
  journey_id text,
  file_name text,
  media_type text,
  size bigint not null,
  bytes bytea not null,
  kept_at timestamptz not null default now(),
  -- The check locks what it refers to, which must not be a conflict of another app.
  foreign key (state_id, conflict) references __portal_sync__.conflict (state_id, number) on delete cascade
);
-- Photos are compressed already, and parts of what is stored so are read without the rest.
alter table __portal_sync__.conflict_file alter bytes set storage external;
create index conflict_file_by_journey_id on __portal_sync__.conflict_file (state_id, journey_id) where journey_id is not null;
create index conflict_file_of_conflict on __portal_sync__.conflict_file (conflict);
create index conflict_file_sizes on __portal_sync__.conflict_file (state_id, kept_at) include (size);

create table __portal_sync__.attachment (
  state_id int not null references __portal_sync__.run on delete cascade,
  journey_id text not null,
  -- See record/file-value.ts.
  value text not null,
  -- Where Helium had its bytes last.
  table_name text not null,
  id uuid not null,
  column_name text not null,
  -- Journey's file itself ends without the end mark of its format.
  lacks_end boolean not null default false,
  primary key (state_id, journey_id)
);

create table __portal_sync__.file_wait (
  number bigint generated always as identity primary key,
  state_id int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  id uuid not null,
  column_name text not null,
  -- Of a file that is fetched only to keep it with a conflict that it lost; otherwise 0.
  conflict bigint not null default 0,
  -- Whether Journey's record has lost it already. Until then, Helium overwrites nothing of it.
  is_overwritten boolean not null default false,
  -- Bytes of a file that there was no room to keep.
  size bigint,
  -- See record/waiting-file.ts.
  state text not null check (state in ('announced', 'uploaded', 'downloaded')),
  journey_id text not null,
  url text,
  changed_at_ms bigint not null,
  attempts int not null,
  since timestamptz not null default now(),
  retry_at timestamptz,
  reason text not null,
  -- Of a downloaded file that cannot be written yet: see record/file-value.ts.
  value text,
  bytes bytea,
  file_name text,
  media_type text,
  unique (state_id, table_name, id, column_name, conflict)
);
create index file_wait_retry on __portal_sync__.file_wait (state_id, retry_at) where retry_at is not null;

create table __portal_sync__.absence (
  state_id int not null references __portal_sync__.run on delete cascade,
  -- The side that no longer has the record.
  side text not null check (side in ('helium', 'journey')),
  table_name text not null,
  id uuid not null,
  -- What happens to the record; null while the table is read and counted.
  decision text check (decision in ('delete', 'keep')),
  primary key (state_id, side, table_name, id)
);

create table __portal_sync__.clearing (
  state_id int not null references __portal_sync__.run on delete cascade,
  -- The side that no longer has the value.
  side text not null check (side in ('helium', 'journey')),
  table_name text not null,
  id uuid not null,
  column_name text not null,
  -- Whether it is to be cleared on the other side too.
  is_decided boolean not null default false,
  primary key (state_id, side, table_name, id, column_name)
);

create table __portal_sync__.comparison (
  id bigint generated always as identity primary key,
  state_id int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  at timestamptz not null default now(),
  helium int not null,
  journey int not null,
  -- Records that differed and were repaired, those that were held, and those that were left.
  drifted int not null,
  held int not null,
  left_as_is int not null
);
create index comparison_of_table on __portal_sync__.comparison (state_id, table_name, id);

create table __portal_sync__.difference (
  state_id int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  id uuid not null,
  -- The side that has other values, or no such record.
  side text not null check (side in ('helium', 'journey')),
  kind text not null check (kind in ('changed', 'missing', 'unsynced')),
  found_at timestamptz not null default now(),
  primary key (state_id, table_name, id)
);

create table __portal_sync__.trail (
  at timestamptz not null default now(),
  -- The bytes of the integration's trail up to this row, roughly: a transaction of the other direction may not count.
  total bigint not null,
  -- Without a foreign key, as for records: each page would lock the integration's row.
  state_id int not null,
  table_name text not null,
  -- Of the log that the page was read to.
  version numeric(20),
  -- 17 bytes for each record: see trail.store.ts.
  entries bytea not null
);
-- Ids cannot be compressed.
alter table __portal_sync__.trail alter entries set storage external;
create index trail_by_total on __portal_sync__.trail (state_id, total);

create table __portal_sync__.user_lock (
  state_key text not null,
  user_id uuid not null,
  -- See enrollment/lock-requests.ts. A missing row means unlocked.
  stage text not null check (stage in ('requested', 'locked', 'unlocking')),
  primary key (state_key, user_id)
);

create table __portal_sync__.enrollment_request (
  state_key text not null,
  flag text not null,
  row_id uuid not null,
  -- What Journey showed before a call whose outcome is not known: see enrollment/sign-ins.ts.
  before jsonb,
  -- What a call returned that is not in the row yet.
  result jsonb,
  primary key (state_key, flag, row_id)
);

create table __portal_sync__.enrollment_user (
  state_key text not null,
  user_id uuid not null,
  -- Journey no longer lists the user.
  is_removed boolean not null default false,
  primary key (state_key, user_id)
);

create table __portal_sync__.enrollment_status (
  state_key text primary key,
  listed_at timestamptz,
  users int not null default 0,
  sessions int not null default 0,
  problem text,
  -- The first of them, and how many there are.
  waiting jsonb not null default '[]',
  total int not null default 0,
  -- What an operator retries: empty for all, null for nothing.
  retry text[]
);

create table __portal_sync__.enrollment_brake (
  state_key text not null,
  what text not null,
  -- How many were absent in the last round, and how many of them an operator wants removed.
  absent int not null,
  consented int not null default 0,
  primary key (state_key, what)
);
`;

const tablesByStateId = [
  'record',
  'intent',
  'dirty',
  'look_again',
  'rounded',
  'held',
  'conflict',
  'conflict_file',
  'attachment',
  'file_wait',
  'absence',
  'clearing',
  'comparison',
  'difference',
  'trail',
];
const tablesByStateKey = [
  'user_lock',
  'enrollment_request',
  'enrollment_user',
  'enrollment_status',
  'enrollment_brake',
];

/**
 * A login has the rows of its own app. What the app's code can change, such as the role or a
 * setting, has no part in it. The owner of the tables has all rows. An array is evaluated once per
 * statement.
 */
const ownRows: readonly (readonly [table: string, condition: string])[] = [
  ['run', 'login = session_user'],
  ...tablesByStateId.map((table) => [table, `state_id = any (array(${ownRunsSql('state_id')}))`] as const),
  ...tablesByStateKey.map((table) => [table, `state_key = any (array(${ownRunsSql('state_key')}))`] as const),
];

const policiesDdl = ownRows
  .map(
    ([table, condition]) => `alter table __portal_sync__.${table} enable row level security;
create policy own on __portal_sync__.${table} using (${condition});
`,
  )
  .join('');

/**
 * Functions that delete rows by their addresses, for logins that may not: see
 * helium/remove-state-rows.ts. They have the rights of the owner, to whom no policy applies, so
 * they select the same rows.
 */
const removalsDdl = `${ownRows
  .filter(([table]) => table !== 'run')
  .map(
    ([table, condition]) => `create function __portal_sync__.remove_${table}(addresses tid[]) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
declare removed int;
begin
  delete from __portal_sync__.${table} where ctid = any (addresses)
    and (${condition} or (select pg_has_role(session_user, current_user, 'usage')));
  get diagnostics removed = row_count;
  return removed;
end $body$;
`,
  )
  .join('')}
revoke execute on all functions in schema __portal_sync__ from public;
`;

function ownRunsSql(column: string): string {
  return `select r.${column} from __portal_sync__.run r where r.login = session_user`;
}

const ddl = tablesDdl + policiesDdl + removalsDdl;

/**
 * The hash of all statements above, without comments. Any other schema was created by another
 * version.
 */
const version = `portal sync state ${createHash('sha256')
  .update(ddl.replace(/--.*|\s+/g, ' '))
  .digest('hex')
  .slice(0, 16)}`;

/** SQLSTATEs of a schema that another session has created in the meantime. */
const isCreated: ReadonlySet<unknown> = new Set(['42P06', '23505']);

/**
 * Creates the schema if it is missing, which requires the CREATE privilege on the database. Several
 * processes may do so concurrently. Throws StateVersionMismatch when another version has created
 * it.
 *
 * @param owner the login that must own it. Default: any
 */
export async function prepareState(db: Db, owner?: string): Promise<void> {
  if (await hasState(db, owner)) return;
  // A single message is a single transaction. It waits for a process that creates the schema, as
  // its name is unique: a lock could be held by anyone who can connect. The connection marks only
  // the last statement of a message, and no statement inside another one.
  const create = `set local lock_timeout = 0 ${portalMark};
     do $do$ begin
       if to_regnamespace('__portal_sync__') is null then
         ${ddl.replaceAll(/;$/gm, ` ${portalMark};`)} comment on schema __portal_sync__ is '${version}' ${portalMark};
       end if;
     end $do$`;
  await db.query(create).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError && isCreated.has(error.code))) throw error;
  });
  await hasState(db, owner);
}

/**
 * Returns whether the schema exists. Throws StateVersionMismatch when another version has created
 * it, or another login than its owner.
 */
export async function hasState(db: Db, owner?: string): Promise<boolean> {
  const { rows } = await db.query<{ exists: boolean; version: string | null; owner: string }>(
    `select to_regnamespace('__portal_sync__') is not null as exists,
       obj_description(to_regnamespace('__portal_sync__'), 'pg_namespace') as version,
       (select pg_get_userbyid(nspowner)::text from pg_namespace where nspname = '__portal_sync__') as owner`,
  );
  const [state] = rows;
  if (!state?.exists) return false;
  if (owner !== undefined && state.owner !== owner)
    throw new StateVersionMismatch(
      `The schema __portal_sync__ in the Helium database belongs to ${state.owner} and not to the granting login ${owner}; ` +
        `give it and everything in it to ${owner} if the sync used ${state.owner} before, otherwise drop it with ` +
        'DROP SCHEMA __portal_sync__ CASCADE, and each integration reads both sides in full when it is enabled again.',
    );
  if (state.version === version) return true;
  throw new StateVersionMismatch(
    'The schema __portal_sync__ in the Helium database was created by another version of the sync service; ' +
      'drop it with DROP SCHEMA __portal_sync__ CASCADE, and each integration reads both sides in full when it is enabled again.',
  );
}
