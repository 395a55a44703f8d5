-- Finds the other shifts of a person when one is removed.
create index roster_shift_by_name on roster_shift (environment, team, name);

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
