-- A counter of failed sign-ins delays the next attempt, measured from the last failure. Nodes of the
-- previous version may run at the same time: they use other subjects and ignore the column.
alter table sign_in_failures add column last_failed_at timestamptz not null default now();

-- Browsers that signed in before, by user. The token itself is only in the browser's cookie.
create table sign_in_device (
  token_hash bytea not null,
  environment text not null,
  -- Trimmed and in lower case.
  username text not null,
  expires_at timestamptz not null,
  primary key (token_hash, environment, username)
);
