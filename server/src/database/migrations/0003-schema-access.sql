-- Which team was given which schema, and all that is needed to take it back.
CREATE TABLE access_grants (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  environment text NOT NULL,
  data_source text NOT NULL,
  schema_name text NOT NULL,
  app_id text NOT NULL,
  app_name text NOT NULL,
  team text NOT NULL,
  -- The role the app works as.
  app_role text NOT NULL,
  previous_owner text NOT NULL,
  granted_at timestamptz NOT NULL,
  granted_by text NOT NULL,
  reason text,
  actions jsonb NOT NULL,
  counts jsonb NOT NULL,
  -- Owners and privileges as they were before.
  before jsonb NOT NULL,
  -- 'running' and 'reverting': whether the data source committed is not known here yet; `xid` finds it out.
  state text NOT NULL CHECK (state IN ('running', 'granted', 'replaced', 'reverting', 'reverted')),
  xid text,
  -- The later grant to another team that ended this one.
  replaced_by bigint REFERENCES access_grants,
  ended_at timestamptz,
  ended_by text,
  end_reason text
);

CREATE INDEX access_grants_by_schema ON access_grants (environment, data_source, schema_name, id DESC);
CREATE INDEX access_grants_by_app ON access_grants (environment, app_id, id DESC);
