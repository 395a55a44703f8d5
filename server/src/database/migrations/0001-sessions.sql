-- Who is signed in. The token itself is only in the browser's cookie; the credentials are encrypted and go with the row.
CREATE TABLE session (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  token_hash bytea NOT NULL UNIQUE,
  username text NOT NULL,
  environment text NOT NULL,
  credentials bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

CREATE INDEX session_expires_at ON session (expires_at);

-- Failed sign-ins per user and per address, counted over a window.
CREATE TABLE sign_in_failures (
  subject text PRIMARY KEY,
  failures integer NOT NULL,
  window_ends_at timestamptz NOT NULL
);
