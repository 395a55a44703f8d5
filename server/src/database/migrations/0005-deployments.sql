-- What shall be deployed when, as saved last.
CREATE TABLE deployment_schedules (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  environment text NOT NULL,
  deployment_date timestamptz NOT NULL,
  team text NOT NULL,
  jira_project text NOT NULL,
  app_ids text[] NOT NULL,
  app_names text[] NOT NULL,
  app_schemas text[] NOT NULL,
  release_name text NOT NULL,
  release_group text NOT NULL,
  release_tag text NOT NULL,
  release_description text NOT NULL,
  instructions text NOT NULL,
  data_source text NOT NULL,
  status text NOT NULL CHECK (status IN ('MERGE', 'RESOLVED')),
  portal_user text NOT NULL,
  revision integer NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX deployment_schedules_by_date ON deployment_schedules (environment, deployment_date DESC, id DESC);

-- Each save of a schedule, with the fields that became something else.
CREATE TABLE deployment_saves (
  schedule_id bigint NOT NULL REFERENCES deployment_schedules,
  revision integer NOT NULL,
  environment text NOT NULL,
  at timestamptz NOT NULL,
  saved_by text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('created', 'updated', 'resolved')),
  changes jsonb NOT NULL,
  -- Makes a save that is sent twice one save.
  request_key text,
  PRIMARY KEY (schedule_id, revision),
  CONSTRAINT deployment_saves_are_made_once UNIQUE (environment, request_key)
);

-- Calendar feeds: whoever knows the secret may read, so only its hash is here.
CREATE TABLE calendar_feeds (
  environment text NOT NULL,
  username text NOT NULL,
  secret_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  last_read_at timestamptz,
  PRIMARY KEY (environment, username)
);
