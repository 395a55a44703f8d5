-- The audit trail for years of entries: one partition per month, found by index, searched by
-- trigrams. Equal refusals share an entry. A role with insert and select alone can do all of it.

alter table audit_entry rename to audit_entry_before;

-- Nodes of the previous version may run at the same time: they write the same columns.
create table audit_entry (
  id bigint generated always as identity,
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

create or replace function refuse_to_change_audit() returns trigger language plpgsql as $$
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

-- All months before this one.
do $$
begin
  execute format('create table audit_entry_earlier partition of audit_entry for values from (minvalue) to (%L)',
    date_trunc('month', now(), 'UTC'));
end
$$;

insert into audit_entry (id, at, username, environment, session_id, action, resource, resource_name, description,
    before, after, outcome, reason, address, user_agent, request_id)
  overriding system value
  select id, at, left(username, 200), environment, session_id, left(action, 200), left(resource, 200),
    resource_name, description, before, after, outcome, reason, address, user_agent, request_id
  from audit_entry_before;
select setval(pg_get_serial_sequence('audit_entry', 'id'), greatest(max(id), 1)) from audit_entry_before;
drop table audit_entry_before;

-- Every list is ordered by time and id, so each filter finds its newest entries, also of a day long
-- ago, at one place of its index.
alter table audit_entry add primary key (at, id);
create index audit_entry_by_time on audit_entry (environment, at desc, id desc);
create index audit_entry_by_user on audit_entry (environment, username, at desc, id desc);
create index audit_entry_by_action on audit_entry (environment, action, at desc, id desc);
create index audit_entry_by_resource on audit_entry (environment, resource, at desc, id desc);
create index audit_entry_by_outcome on audit_entry (environment, outcome, at desc, id desc) where outcome <> 'done';
-- The newest configuration changes: of all apps, of one app, and of one app in a session, for undo.
create index audit_entry_by_config_change on audit_entry (environment, at desc, id desc) where action like 'config.%';
create index audit_entry_by_app_change on audit_entry (environment, resource, id desc) where action like 'config.%';
create index audit_entry_by_session_change on audit_entry (session_id, resource, id desc)
  where action like 'config.%';

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
-- ten minutes. Equal are user, action, resource, address, environment, outcome and reason. Nodes wait
-- for each other, so that two equal attempts at once are one entry.
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
    attempt.action, attempt.resource, attempt.address, attempt.environment, attempt.outcome, attempt.reason)::text));
  select at, id into same from public.audit_entry
    where environment = attempt.environment and username = attempt.username and action = attempt.action
      and resource is not distinct from attempt.resource and address is not distinct from attempt.address
      and outcome = attempt.outcome and reason is not distinct from attempt.reason
      and at > attempt.at - interval '10 minutes' and at < attempt.at + interval '10 minutes'
    order by at desc, id desc limit 1;
  if found then
    update public.audit_entry set attempts = attempts + 1, last_at = greatest(last_at, attempt.at, at)
      where at = same.at and id = same.id;
  else
    insert into public.audit_entry (at, username, environment, session_id, action, resource, resource_name, description,
        before, after, outcome, reason, address, user_agent, request_id)
      values (attempt.at, attempt.username, attempt.environment, attempt.session_id, attempt.action, attempt.resource,
        attempt.resource_name, attempt.description, attempt.before, attempt.after, attempt.outcome, attempt.reason,
        attempt.address, attempt.user_agent, attempt.request_id);
  end if;
end
$$;

revoke all on function create_audit_months, add_audit_attempt from public;
