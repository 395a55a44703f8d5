-- Everything the server stores, grouped by feature.

-- ------------------------------------------------------------------------------------------------
-- Sessions
-- ------------------------------------------------------------------------------------------------

-- Who is signed in. The token itself is only in the browser's cookie; the credentials are
-- encrypted.
create table session (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  username text not null,
  environment text not null,
  credentials bytea not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index session_expires_at on session (expires_at);

-- Failed sign-ins per user and per address, counted over a window.
create table sign_in_failures (
  subject text primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);

-- ------------------------------------------------------------------------------------------------
-- Audit trail
-- ------------------------------------------------------------------------------------------------

-- Who did what. Rows are only ever added: the triggers refuse everything else, no matter who asks.
create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  username text not null,
  environment text not null,
  -- No foreign key: sessions are deleted when they expire, entries stay.
  session_id uuid,
  action text not null,
  resource text,
  resource_name text,
  description text not null,
  before jsonb,
  after jsonb,
  outcome text not null check (outcome in ('done', 'failed', 'refused')),
  reason text,
  address text,
  user_agent text,
  request_id text
);

create index audit_entry_by_environment on audit_entry (environment, id desc);
-- The last change of an app, by anyone or in one session.
create index audit_entry_by_resource on audit_entry (environment, resource, id desc);

create function refuse_to_change_audit() returns trigger language plpgsql as $$
begin
  raise exception 'The audit trail is only ever added to.';
end
$$;

create trigger audit_entry_is_append_only before update or delete on audit_entry
  for each row execute function refuse_to_change_audit();
create trigger audit_entry_is_never_emptied before truncate on audit_entry
  for each statement execute function refuse_to_change_audit();

-- ------------------------------------------------------------------------------------------------
-- Schema access
-- ------------------------------------------------------------------------------------------------

-- Which team was given which schema, and everything needed to revert it.
create table access_grants (
  id bigint generated always as identity primary key,
  environment text not null,
  data_source text not null,
  schema_name text not null,
  app_id text not null,
  app_name text not null,
  team text not null,
  -- The role the app works as.
  app_role text not null,
  previous_owner text not null,
  granted_at timestamptz not null,
  granted_by text not null,
  reason text,
  actions jsonb not null,
  counts jsonb not null,
  -- Owners and privileges as they were before.
  before jsonb not null,
  -- 'running' and 'reverting': it is not known yet whether the data source committed; `xid` finds
  -- out.
  state text not null check (state in ('running', 'granted', 'replaced', 'reverting', 'reverted')),
  xid text,
  -- The later grant to another team that ended this one.
  replaced_by bigint references access_grants,
  ended_at timestamptz,
  ended_by text,
  end_reason text
);

create index access_grants_by_schema on access_grants (environment, data_source, schema_name, id desc);
create index access_grants_by_app on access_grants (environment, app_id, id desc);

-- ------------------------------------------------------------------------------------------------
-- DB Spy
-- ------------------------------------------------------------------------------------------------

-- The statement statistics of a data source at certain moments, to compute what happened since.
-- Without the statements' texts: those are read from the data source when they are shown.
create table statement_snapshot (
  id bigint generated always as identity primary key,
  environment text not null,
  data_source text not null,
  taken_at timestamptz not null,
  kind text not null check (kind in ('scheduled', 'before reset')),
  -- As the data source reports it; null where it does not.
  stats_reset timestamptz,
  server_started_at timestamptz not null,
  -- Compressed JSON: the ids of the statements, the names of the counters, and their values column
  -- by column.
  numbers bytea not null
);

create index statement_snapshot_by_age on statement_snapshot (environment, data_source, taken_at);

-- When the statistics of a data source were last viewed, and when a node last attempted a snapshot.
create table statement_source (
  environment text not null,
  data_source text not null,
  looked_at timestamptz,
  tried_at timestamptz,
  primary key (environment, data_source)
);

-- The last reset through the portal: servers before PostgreSQL 14 do not report it.
create table statement_reset (
  hostname text primary key,
  reset_at timestamptz not null,
  username text not null
);

-- ------------------------------------------------------------------------------------------------
-- Deployments
-- ------------------------------------------------------------------------------------------------

-- What is deployed when, as last saved. Each field of the contract's `scheduleSchema` has the
-- column of its name.
create table deployment_schedules (
  id bigint generated always as identity primary key,
  environment text not null,
  deployment_date timestamptz not null,
  team text not null,
  jira_project text not null,
  app_ids text[] not null,
  app_names text[] not null,
  app_schemas text[] not null,
  release_name text not null,
  release_group text not null,
  release_tag text not null,
  release_description text not null,
  instructions text not null,
  data_source text not null,
  schedule_status text not null check (schedule_status in ('MERGE', 'RESOLVED')),
  portal_user text not null,
  revision integer not null,
  updated_at timestamptz not null
);

create index deployment_schedules_by_date on deployment_schedules (environment, deployment_date desc, id desc);

-- Each save of a schedule, with the fields that changed.
create table deployment_saves (
  schedule_id bigint not null references deployment_schedules,
  revision integer not null,
  environment text not null,
  at timestamptz not null,
  saved_by text not null,
  kind text not null check (kind in ('created', 'updated', 'resolved')),
  changes jsonb not null,
  -- Makes a save that is sent twice one save.
  request_key text,
  primary key (schedule_id, revision),
  unique (environment, request_key)
);

-- Calendar feeds. Anyone who knows the secret may read one, so only its hash is stored.
create table calendar_feeds (
  environment text not null,
  username text not null,
  secret_hash bytea not null unique,
  created_at timestamptz not null,
  last_read_at timestamptz,
  primary key (environment, username)
);

-- ------------------------------------------------------------------------------------------------
-- Support roster
-- ------------------------------------------------------------------------------------------------

-- The shifts of teams whose roster is managed in the portal.
create table roster_shift (
  id bigint generated always as identity primary key,
  environment text not null,
  team text not null,
  name text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  check (ends_at > starts_at)
);

create index roster_shift_by_time on roster_shift (environment, team, ends_at);

-- Phone numbers belong to people, not to their shifts, and are deleted with a person's last shift.
create table roster_number (
  environment text not null,
  team text not null,
  name text not null,
  number text not null,
  primary key (environment, team, name)
);

-- Rosters from other systems as they were last read: shown while their source is unavailable, also
-- after a restart.
create table saved_roster (
  environment text not null,
  team text not null,
  -- A hash of the source: a calendar's address is a secret, and a roster from another source is
  -- another roster.
  source bytea not null,
  read_at timestamptz not null,
  -- The shifts of each year: person, name, start and end in epoch milliseconds.
  years jsonb not null,
  -- Phone numbers by person.
  numbers jsonb not null,
  primary key (environment, team)
);

-- ------------------------------------------------------------------------------------------------
-- Developer client
-- ------------------------------------------------------------------------------------------------

-- The newest release of the developer client as its repository last reported it: shown while that
-- is unavailable.
create table latest_release (
  -- Address of the metadata that names it.
  metadata_url text primary key,
  version text not null,
  client_sha256 text,
  no_ui_client_sha256 text,
  read_at timestamptz not null
);

-- ------------------------------------------------------------------------------------------------
-- Sync dashboards
-- ------------------------------------------------------------------------------------------------

-- Named groups of apps whose sync integrations are watched as one; shared by everyone in an
-- environment.
create table sync_dashboard (
  environment text not null,
  name text not null,
  -- In the order in which they were chosen.
  app_ids text[] not null,
  primary key (environment, name)
);
