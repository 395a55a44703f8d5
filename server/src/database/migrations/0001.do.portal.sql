-- Everything the server stores, grouped by feature.

-- ------------------------------------------------------------------------------------------------
-- Sessions
-- ------------------------------------------------------------------------------------------------

-- Who is signed in. The token itself is only in the browser's cookie; the credentials are
-- encrypted.
create table session (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea unique,
  -- The session that the browser uses now, in another environment. Then this one has no token, and ends
  -- with that one.
  kept_by uuid references session on delete cascade,
  check ((token_hash is null) = (kept_by is not null)),
  username text not null,
  environment text not null,
  credentials bytea not null,
  created_at timestamptz not null default now(),
  -- When a person last used it.
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- It changes nothing, and ends only when it expires.
  is_read_only boolean not null default false,
  -- Where it was opened, as its user sees it in the list of sessions.
  address text,
  user_agent text,
  -- Where it was last used; null as long as it was used nowhere else.
  last_address text,
  last_user_agent text
);

-- What a user has chosen, such as starred apps and columns of tables, wherever they sign in. The same
-- name on two platforms is two users.
create table user_setting (
  environment text not null,
  username text not null,
  name text not null,
  -- JSON, which only the page reads.
  value text not null,
  updated_at timestamptz not null default now(),
  primary key (environment, username, name)
);

-- Where else a session was used, so that each change is in the audit trail once.
create table session_origin (
  session_id uuid not null references session on delete cascade,
  address text not null,
  -- Empty without a user agent.
  user_agent text not null,
  primary key (session_id, address, user_agent)
);

create index session_expires_at on session (expires_at);
create index session_by_user on session (environment, username);
create index session_by_current on session (kept_by) where kept_by is not null;

-- Failed sign-ins per user and per address, counted over a window. They delay the next attempt,
-- measured from the last failure.
create table sign_in_failures (
  subject text primary key,
  failures integer not null,
  window_ends_at timestamptz not null,
  last_failed_at timestamptz not null default now()
);

-- Browsers that signed in before, by user. The token itself is only in the browser's cookie.
create table sign_in_device (
  token_hash bytea not null,
  environment text not null,
  -- Trimmed and in lower case.
  username text not null,
  expires_at timestamptz not null,
  primary key (token_hash, environment, username)
);

-- ------------------------------------------------------------------------------------------------
-- Audit trail
-- ------------------------------------------------------------------------------------------------

-- Who did what, for years: one partition per month, found by index, searched by trigrams. Entries are
-- only ever added, no matter who asks; equal refusals share one. A role with insert and select alone
-- can do all of it.
create table audit_entry (
  id bigint generated always as identity,
  at timestamptz not null,
  username text not null,
  environment text not null,
  -- No foreign key: sessions are deleted when they expire, entries stay.
  session_id uuid,
  action text not null,
  -- Users choose some ids, such as the name of a dashboard: only the kind and the id say what is
  -- meant.
  resource_kind text,
  resource text,
  check ((resource_kind is null) = (resource is null)),
  resource_name text,
  description text not null,
  before jsonb,
  after jsonb,
  outcome text not null check (outcome in ('done', 'failed', 'refused')),
  reason text,
  address text,
  user_agent text,
  request_id text,
  -- How many equal attempts this entry stands for, and when the last one was if there are several.
  attempts integer not null default 1,
  last_at timestamptz,
  search_text text not null generated always as (lower(
    username || ' ' || action || ' ' || coalesce(resource, '') || ' ' || coalesce(resource_name, '') || ' ' ||
    description || ' ' || coalesce(reason, '')
  )) stored
) partition by range (at);

-- The service's role gets select and insert on tables with this comment, and all changes on others.
comment on table audit_entry is 'append-only';

-- Takes the entries of a month without a partition, so that none is ever refused.
create table audit_entry_other partition of audit_entry default;

create function refuse_to_change_audit() returns trigger language plpgsql as $$
declare
  counted constant text[] := '{attempts,last_at,search_text}';
begin
  -- Only the count of equal attempts can be raised, and only where nothing was done.
  if tg_op = 'UPDATE' then
    if old.outcome <> 'done' and new.attempts > old.attempts and new.last_at >= coalesce(old.last_at, old.at)
      and to_jsonb(new) - counted = to_jsonb(old) - counted
    then return new;
    end if;
  end if;
  raise exception 'The audit trail is only ever added to.';
end
$$;

create trigger audit_entry_is_append_only before update or delete on audit_entry
  for each row execute function refuse_to_change_audit();
create trigger audit_entry_is_never_emptied before truncate on audit_entry
  for each statement execute function refuse_to_change_audit();
create trigger audit_entry_is_never_emptied before truncate on audit_entry_other
  for each statement execute function refuse_to_change_audit();

-- Creates the partitions of this month and the next two. Runs with the owner's rights, so that the
-- service can create the next months.
create function create_audit_months() returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' as $$
declare
  month timestamptz;
  partition text;
begin
  perform pg_advisory_xact_lock(hashtext('audit months'), 0);
  for month in select date_trunc('month', now()) + make_interval(months => ahead) from generate_series(0, 2) as ahead loop
    partition := 'audit_entry_' || to_char(month, 'YYYY_MM');
    continue when to_regclass('public.' || partition) is not null;
    -- Entries that came before their partition stay where they are.
    continue when exists (
      select from public.audit_entry_other where at >= month and at < month + interval '1 month');
    execute format('create table public.%I partition of public.audit_entry for values from (%L) to (%L)',
      partition, month, month + interval '1 month');
    execute format('create trigger audit_entry_is_never_emptied before truncate on public.%I
      for each statement execute function public.refuse_to_change_audit()', partition);
  end loop;
end
$$;

select create_audit_months();

-- Every list is ordered by time and id, so each filter finds its newest entries, also of a day long
-- ago, at one place of its index.
alter table audit_entry add primary key (at, id);
create index audit_entry_by_time on audit_entry (environment, at desc, id desc);
create index audit_entry_by_user on audit_entry (environment, username, at desc, id desc);
create index audit_entry_by_action on audit_entry (environment, action, at desc, id desc);
create index audit_entry_by_resource on audit_entry (environment, resource_kind, resource, at desc, id desc);
create index audit_entry_by_outcome on audit_entry (environment, outcome, at desc, id desc) where outcome <> 'done';
-- The newest changes of apps: of all apps, of one app, and of one app in a session, for undo.
create index audit_entry_by_change on audit_entry (environment, at desc, id desc)
  where action like 'config.%' or action = 'functions.toggle';
create index audit_entry_by_app_change on audit_entry (environment, resource, id desc)
  where resource_kind = 'app' and (action like 'config.%' or action = 'functions.toggle');
create index audit_entry_by_session_change on audit_entry (session_id, resource, id desc)
  where resource_kind = 'app' and (action like 'config.%' or action = 'functions.toggle');

-- Without the extension, a search covers 90 days (docs/operations.md).
do $$
begin
  create extension if not exists pg_trgm with schema public;
  -- Without a list of pending entries, which every search would have to read.
  create index audit_entry_by_text on audit_entry using gin (search_text public.gin_trgm_ops) with (fastupdate = off);
exception when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
  raise notice 'The audit trail is searched without trigrams: %', sqlerrm;
end
$$;

-- Adds the entry of an attempt that changed nothing, or raises the count of an equal one of the last
-- ten minutes. Equal are user, action, kind and id of the resource, address, environment, outcome and
-- reason. Nodes wait for each other, so that two equal attempts at once are one entry.
create function add_audit_attempt(entry jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  attempt public.audit_entry := jsonb_populate_record(null::public.audit_entry, entry);
  same record;
begin
  if attempt.outcome is distinct from 'refused' and attempt.outcome is distinct from 'failed' then
    raise exception 'Only attempts that were refused or failed have a count.';
  end if;
  perform pg_advisory_xact_lock(hashtext('audit attempts'), hashtext(jsonb_build_array(attempt.username,
    attempt.action, attempt.resource_kind, attempt.resource, attempt.address, attempt.environment, attempt.outcome,
    attempt.reason)::text));
  select at, id into same from public.audit_entry
    where environment = attempt.environment and username = attempt.username and action = attempt.action
      and resource_kind is not distinct from attempt.resource_kind
      and resource is not distinct from attempt.resource and address is not distinct from attempt.address
      and outcome = attempt.outcome and reason is not distinct from attempt.reason
      and at > attempt.at - interval '10 minutes' and at < attempt.at + interval '10 minutes'
    order by at desc, id desc limit 1;
  if found then
    update public.audit_entry set attempts = attempts + 1, last_at = greatest(last_at, attempt.at, at)
      where at = same.at and id = same.id;
  else
    insert into public.audit_entry (at, username, environment, session_id, action, resource_kind, resource,
        resource_name, description, before, after, outcome, reason, address, user_agent, request_id)
      values (attempt.at, attempt.username, attempt.environment, attempt.session_id, attempt.action,
        attempt.resource_kind, attempt.resource, attempt.resource_name, attempt.description, attempt.before,
        attempt.after, attempt.outcome, attempt.reason, attempt.address, attempt.user_agent, attempt.request_id);
  end if;
end
$$;

revoke all on function create_audit_months, add_audit_attempt from public;

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
  updated_at timestamptz not null,
  -- How the deployment ended.
  outcome text check (outcome in ('deployed', 'rolledBack', 'calledOff')),
  outcome_note text not null default '',
  -- The id of its event in calendars, unique among all portals.
  calendar_uid uuid not null default gen_random_uuid()
);

create index deployment_schedules_by_date on deployment_schedules (environment, deployment_date desc, id desc);
-- Pages that are open ask once a minute what was saved since.
create index deployment_schedules_by_save on deployment_schedules (environment, updated_at);

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

-- The steps of a release that are done. A release's steps are configured, so the text is the key.
create table deployment_steps (
  schedule_id bigint not null references deployment_schedules,
  step text not null,
  done_by text not null,
  done_at timestamptz not null,
  primary key (schedule_id, step)
);

-- Calendar feeds. Anyone who knows the secret may read one, so only its hash is stored.
create table calendar_feeds (
  environment text not null,
  username text not null,
  secret_hash bytea not null unique,
  created_at timestamptz not null,
  last_read_at timestamptz,
  -- When the platform last accepted the owner's credentials.
  owner_checked_at timestamptz not null default now(),
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
-- Finds the other shifts of a person when one is removed.
create index roster_shift_by_name on roster_shift (environment, team, name);

-- Phone numbers belong to people, not to their shifts, and are deleted with a person's last shift.
create table roster_number (
  environment text not null,
  team text not null,
  name text not null,
  number text not null,
  primary key (environment, team, name)
);

-- The last import into each team's roster. The transaction that adds its shifts also marks it as
-- done.
create table roster_import (
  environment text not null,
  team text not null,
  id uuid not null default gen_random_uuid(),
  username text not null,
  state text not null default 'running' check (state in ('running', 'done', 'failed')),
  -- The number of shifts added so far, and of all shifts to add.
  added int not null default 0,
  total int not null,
  -- Why the import failed.
  problem text,
  -- Renewed while the import runs, so that one whose process has stopped is recognized.
  updated_at timestamptz not null default clock_timestamp(),
  primary key (environment, team)
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
  -- Sentences for people about what may be missing, and what was left out on purpose.
  warnings text[] not null,
  notes text[] not null,
  -- Spans that are not known: from and to in epoch milliseconds.
  unread jsonb not null,
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
  -- Where the repository has none of the former.
  client_sha1 text,
  no_ui_client_sha1 text,
  read_at timestamptz not null
);

-- ------------------------------------------------------------------------------------------------
-- Sync dashboards
-- ------------------------------------------------------------------------------------------------

-- Named groups of apps whose sync integrations are watched as one; shared by everyone in an
-- environment. Only the owner of one and administrators may change it.
create table sync_dashboard (
  environment text not null,
  name text not null,
  -- In the order in which they were chosen.
  app_ids text[] not null,
  -- The user who saved it first.
  owner text,
  primary key (environment, name)
);

-- ------------------------------------------------------------------------------------------------
-- Home
-- ------------------------------------------------------------------------------------------------

-- What home shows of apps, read in the background once for all users and nodes.

-- Background work that one node does for all. Only the database's clock decides what has expired.
create table background_lease (
  name text primary key,
  holder uuid not null,
  expires_at timestamptz not null
);

-- The apps that a session asked for lately: the reason to check them.
create table app_check_viewer (
  session_id uuid not null references session on delete cascade,
  subject text not null,
  environment text not null,
  apps text[] not null,
  viewed_at timestamptz not null default now(),
  primary key (session_id, subject)
);

-- The platform and each data source of an environment.
create table app_check_source (
  environment text not null,
  subject text not null,
  source text not null,
  -- The apps that it has; null if it has all.
  apps text[],
  -- Why it cannot be read; null if it can.
  problem text,
  primary key (environment, subject, source)
);

-- An app is an id on the platform, and a schema in a data source.
create table app_check (
  environment text not null,
  subject text not null,
  source text not null,
  app text not null,
  attempted_at timestamptz not null,
  -- The last response, which stays while later attempts fail.
  result jsonb,
  read_at timestamptz,
  -- Why the last attempt failed; null if it did not.
  problem text,
  primary key (environment, subject, source, app)
);

-- The apps whose pages are open, which are checked first and more often.
create table app_check_page (
  environment text not null,
  subject text not null,
  app text not null,
  opened_at timestamptz not null default now(),
  primary key (environment, subject, app)
);
