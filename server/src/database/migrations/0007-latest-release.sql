-- The newest release of the developer client as its repository told it last: shown while it does not.
CREATE TABLE latest_release (
  -- Address of the metadata that told it.
  metadata_url text PRIMARY KEY,
  version text NOT NULL,
  client_sha256 text,
  no_ui_client_sha256 text,
  read_at timestamptz NOT NULL
);
