-- What the statement statistics of a data source were at some moments, to tell what came after. No texts: those are
-- read from the server when they are shown.
CREATE TABLE statement_snapshot (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  environment text NOT NULL,
  data_source text NOT NULL,
  taken_at timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('scheduled', 'before reset')),
  -- As the server says; null where it does not.
  stats_reset timestamptz,
  server_started_at timestamptz NOT NULL,
  -- Compressed JSON: the ids of the statements, the names of the counters, and their values column by column.
  numbers bytea NOT NULL
);

CREATE INDEX statement_snapshot_by_age ON statement_snapshot (environment, data_source, taken_at);

-- When somebody last looked at the statistics of a data source, and when a node last set out to take a snapshot.
CREATE TABLE statement_source (
  environment text NOT NULL,
  data_source text NOT NULL,
  looked_at timestamptz,
  tried_at timestamptz,
  PRIMARY KEY (environment, data_source)
);

-- The last reset through the portal: servers before PostgreSQL 14 do not say when it was.
CREATE TABLE statement_reset (
  hostname text PRIMARY KEY,
  reset_at timestamptz NOT NULL,
  username text NOT NULL
);
