-- Where a session was opened, as its user sees it in the list of sessions. Null for sessions that
-- were opened before.
alter table session
  add column address text,
  add column user_agent text;

create index session_by_user on session (environment, username);

-- When the platform last accepted the owner's credentials. For existing feeds, that is now.
alter table calendar_feeds add column owner_checked_at timestamptz not null default now();
