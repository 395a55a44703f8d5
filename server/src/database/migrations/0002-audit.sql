-- Who did what. Rows are only ever added: the triggers refuse everything else, whoever asks.
CREATE TABLE audit_entry (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  username text NOT NULL,
  environment text NOT NULL,
  -- No reference: sessions are wiped when they end, entries stay.
  session_id uuid,
  action text NOT NULL,
  resource text,
  resource_name text,
  description text NOT NULL,
  before jsonb,
  after jsonb,
  outcome text NOT NULL CHECK (outcome IN ('done', 'failed', 'refused')),
  reason text,
  address text,
  user_agent text,
  request_id text
);

CREATE INDEX audit_entry_by_environment ON audit_entry (environment, id DESC);
-- The last change of an app, by anybody or in one session.
CREATE INDEX audit_entry_by_resource ON audit_entry (environment, resource, id DESC);

CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit trail is only ever added to.';
END
$$;

CREATE TRIGGER audit_entry_is_append_only BEFORE UPDATE OR DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION refuse_to_change_audit();
CREATE TRIGGER audit_entry_is_never_emptied BEFORE TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit();
