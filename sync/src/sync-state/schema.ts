/**
 * Where the engine keeps what belongs to the rows it writes: a schema of its own in the Helium database, so that rows,
 * cursors and ledger are one transaction, and go back together when the database is restored.
 *
 *   run       one per integration: both cursors, and the fencing number of who may move them
 *   record    per object: what the op-log said last
 *   intent    our writes to Journey that have not come back in the op-log
 *   dirty     objects to be looked at though the change log does not say so
 *   held      objects that cannot be carried over: parked, dead, skipped
 *   conflict  where both sides changed the same
 *   audit     what each comparison of both sides found, per table
 */
import { createHash } from 'node:crypto';
import type { Db } from '../helium/helium-end.ts';

/** Any number, as long as everything that makes this schema takes the same. */
const lock = 7_071_824_502;

const ddl = `
create schema if not exists __portal_sync__;

create table if not exists __portal_sync__.run (
  no int generated always as identity primary key,
  app_id text not null unique,
  fence bigint not null,
  change_log_cursor bigint not null,
  op_log_cursor numeric(20) not null,
  -- What is still to be read whole, per direction: see pump/plan-reading.ts.
  snapshot_to_helium jsonb,
  snapshot_to_journey jsonb,
  -- The mapping that was last accepted, and with which save of the configuration.
  mapping jsonb,
  config_no int,
  -- When somebody asked for a whole comparison.
  audit_wished_at timestamptz
);
alter table __portal_sync__.run add column if not exists last_call bigint not null default 0;
-- Calls to Journey that nobody has answered for: their intents are sent, those of all others acknowledged.
alter table __portal_sync__.run add column if not exists open_calls bigint[] not null default '{}';

-- Records and intents come and go by the thousand, each in a transaction that holds its integration's row: a foreign key
-- would look for that row once for each of them.
create table if not exists __portal_sync__.record (
  run int not null,
  table_name text not null,
  id uuid not null,
  journey jsonb,
  deleted_at_ms bigint,
  -- Older entries of the op-log than what a listing showed say nothing new.
  listed_at_ms bigint,
  -- Journey had nothing to patch: 'waits' for the op-log to say why, then to be tried 'again'.
  missing text check (missing in ('waits', 'again')),
  primary key (run, table_name, id)
);

create index if not exists record_listed on __portal_sync__.record (run) where listed_at_ms is not null;

create table if not exists __portal_sync__.intent (
  no bigint generated always as identity,
  run int not null,
  table_name text not null,
  id uuid not null,
  method text not null check (method in ('put', 'patch', 'delete')),
  fields jsonb not null,
  stage text not null check (stage in ('sent', 'acknowledged', 'ghost')),
  sent_at timestamptz not null default now(),
  primary key (run, table_name, id, no)
);
alter table __portal_sync__.intent add column if not exists call bigint;
alter table __portal_sync__.record drop constraint if exists record_run_fkey;
alter table __portal_sync__.intent drop constraint if exists intent_run_fkey;

create sequence if not exists __portal_sync__.dirty_mark;

create table if not exists __portal_sync__.dirty (
  run int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  id uuid not null,
  -- Drawn anew each time: who has read one mark does not take away the next.
  mark bigint not null default nextval('__portal_sync__.dirty_mark'),
  primary key (run, table_name, id)
);

create table if not exists __portal_sync__.held (
  no bigint generated always as identity primary key,
  run int not null references __portal_sync__.run on delete cascade,
  direction text not null check (direction in ('helium-to-journey', 'journey-to-helium')),
  state text not null check (state in ('parked', 'dead', 'skipped')),
  table_name text not null,
  id uuid not null,
  kind text not null,
  reason text not null,
  missing text[] not null default '{}',
  attempts int not null default 1,
  since timestamptz not null default now(),
  last_tried timestamptz not null default now(),
  -- When it is to be tried again; null: not by itself.
  retry_at timestamptz,
  -- journey-to-helium: what Helium has of Journey's side.
  base jsonb,
  changed_at_ms bigint,
  helium jsonb,
  journey jsonb,
  unique (run, direction, table_name, id)
);
create index if not exists held_missing on __portal_sync__.held using gin (missing);
create index if not exists held_retry on __portal_sync__.held (run, retry_at) where retry_at is not null;

create table if not exists __portal_sync__.conflict (
  no bigint generated always as identity primary key,
  run int not null references __portal_sync__.run on delete cascade,
  at timestamptz not null default now(),
  table_name text not null,
  id uuid not null,
  column_name text,
  helium jsonb,
  journey jsonb,
  winner text not null
);
create index if not exists conflict_of_run on __portal_sync__.conflict (run, no desc);

create table if not exists __portal_sync__.attachment (
  run int not null references __portal_sync__.run on delete cascade,
  journey_id text not null,
  hash text not null,
  primary key (run, journey_id)
);

create table if not exists __portal_sync__.audit (
  no bigint generated always as identity primary key,
  run int not null references __portal_sync__.run on delete cascade,
  table_name text not null,
  at timestamptz not null default now(),
  helium int not null,
  journey int not null,
  drifted int not null
);
create index if not exists audit_of_table on __portal_sync__.audit (run, table_name, no);
`;

/** Of everything above: what was made by another release, with less or more in it, is made whole by this one. */
const shape = `portal sync state ${createHash('sha256').update(ddl).digest('hex').slice(0, 16)}`;

/**
 * Makes what is missing; several may call it at once. Needs the right to create a schema in the database, and to alter
 * what an earlier release has made.
 */
export async function prepareState(db: Db): Promise<void> {
  const { rows } = await db.query<{ shape: string | null }>(
    `select obj_description(to_regnamespace('__portal_sync__'), 'pg_namespace') as shape`,
  );
  if (rows[0]?.shape === shape) return;
  await db.query(
    `begin; select pg_advisory_xact_lock(${lock}); set local client_min_messages to warning; ${ddl}
     comment on schema __portal_sync__ is '${shape}'; commit;`,
  );
}
