CREATE SCHEMA sync;

-- One row per integration. `no` is never used twice: what belongs to one that was deleted is not taken for another's.
CREATE TABLE sync.integration (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  environment text NOT NULL,
  app_id text NOT NULL,
  app_name text NOT NULL,
  data_source text NOT NULL,
  -- As it was saved, without the password; whether it is enabled is told by the status alone.
  config jsonb NOT NULL,
  -- Counts the saves.
  config_no integer NOT NULL DEFAULT 1,
  journey_password bytea NOT NULL,
  status text NOT NULL CHECK (status IN ('Enabled', 'Disabled', 'Halted')),
  halt_reason text,
  halted_since timestamptz,
  -- The last act of a person, in whole milliseconds, later with each.
  changed_at timestamptz NOT NULL,
  changed_by text NOT NULL,
  CHECK ((status = 'Halted') = (halt_reason IS NOT NULL)),
  CHECK ((status = 'Halted') = (halted_since IS NOT NULL)),
  CONSTRAINT integration_once_per_app UNIQUE (environment, app_id)
);

CREATE TABLE sync.status_change (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  integration_no bigint NOT NULL REFERENCES sync.integration ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  status text NOT NULL,
  by text NOT NULL,
  reason text
);
CREATE INDEX ON sync.status_change (integration_no, no);

-- Written once a second: apart from the rest, with room for the next version of a row beside it.
CREATE TABLE sync.figures (
  integration_no bigint PRIMARY KEY REFERENCES sync.integration ON DELETE CASCADE,
  figures jsonb NOT NULL
) WITH (fillfactor = 50);

-- Processes that are alive; each takes its share of the integrations.
CREATE TABLE sync.process (
  id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

-- Who runs an integration. The fence grows with each taking.
CREATE TABLE sync.lease (
  integration_no bigint PRIMARY KEY REFERENCES sync.integration ON DELETE CASCADE,
  holder text,
  fence bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

-- Its lock, held until the lines are there, makes the order of their numbers that of their appearance.
CREATE TABLE sync.log_head (
  integration_no bigint PRIMARY KEY REFERENCES sync.integration ON DELETE CASCADE,
  last_seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE sync.log (
  integration_no bigint NOT NULL REFERENCES sync.integration ON DELETE CASCADE,
  seq bigint NOT NULL,
  at timestamptz NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (integration_no, seq)
);
