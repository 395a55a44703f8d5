create schema sync;

-- An id is never used twice: what belongs to an integration that was deleted is not taken for another's.
create table sync.integration (
  id bigint generated always as identity primary key,
  environment text not null,
  app_id text not null,
  app_name text not null,
  data_source text not null,
  -- As it was saved, without the password; the status alone decides whether it is enabled.
  config jsonb not null,
  -- Counts the saves.
  config_version integer not null default 1,
  journey_password bytea not null,
  -- Where Journey sends its webhooks, and the secrets they are signed with, as an encrypted list.
  webhook_address uuid not null unique default gen_random_uuid(),
  webhook_secrets bytea,
  status text not null check (status in ('Enabled', 'Disabled', 'Halted')),
  halt_reason text,
  halted_since timestamptz,
  -- The last action of a person, in whole milliseconds, later with each.
  changed_at timestamptz not null,
  changed_by text not null,
  check ((status = 'Halted') = (halt_reason is not null)),
  check ((status = 'Halted') = (halted_since is not null)),
  constraint integration_once_per_app unique (environment, app_id)
);

create table sync.status_change (
  id bigint generated always as identity primary key,
  integration_id bigint not null references sync.integration on delete cascade,
  at timestamptz not null default clock_timestamp(),
  status text not null,
  by text not null,
  reason text
);
create index on sync.status_change (integration_id, id);

-- Written once a second: apart from the rest, with room for the next version of a row beside it.
create table sync.figures (
  integration_id bigint primary key references sync.integration on delete cascade,
  figures jsonb not null
) with (fillfactor = 50);

-- For charts: the records that were synced in each interval, and the longest that a change waited.
-- An interval without any has no row.
create table sync.activity (
  integration_id bigint not null references sync.integration on delete cascade,
  span text not null check (span in ('day', 'week', 'month')),
  -- When the interval begins.
  at timestamptz not null,
  to_journey bigint not null,
  to_helium bigint not null,
  to_journey_lag_ms bigint not null,
  to_helium_lag_ms bigint not null,
  primary key (integration_id, span, at)
) with (fillfactor = 50);

-- Processes that are alive; each takes its share of the integrations.
create table sync.process (
  id text primary key,
  expires_at timestamptz not null,
  -- Where it runs, so that another one of the same machine can find out that it has ended.
  machine text,
  pid int,
  began text
);

-- Which process runs an integration. The fencing token grows each time the lease is taken.
create table sync.lease (
  integration_id bigint primary key references sync.integration on delete cascade,
  holder text,
  fence bigint not null default 0,
  expires_at timestamptz not null default '-infinity',
  -- Counts the requests of operators to try again now.
  attempts_requested bigint not null default 0,
  -- Count what wakes a run. Behind a pooler, which delivers no notifications, a process finds it so.
  state_changes bigint not null default 0,
  webhooks bigint not null default 0
) with (fillfactor = 50);

-- Its lock, held until the lines are there, makes the order of their numbers that of their appearance.
create table sync.log_head (
  integration_id bigint primary key references sync.integration on delete cascade,
  last_seq bigint not null default 0
) with (fillfactor = 50);

create table sync.log (
  integration_id bigint not null references sync.integration on delete cascade,
  seq bigint not null,
  at timestamptz not null,
  key text not null,
  value text not null,
  primary key (integration_id, seq)
);
