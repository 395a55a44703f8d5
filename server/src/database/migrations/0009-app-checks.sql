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
