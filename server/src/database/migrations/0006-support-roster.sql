-- The rosters of the teams that have them in the portal and nowhere else.
CREATE TABLE roster_shift (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  environment text NOT NULL,
  team text NOT NULL,
  name text NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  CHECK (ends_at > starts_at)
);

CREATE INDEX roster_shift_by_time ON roster_shift (environment, team, ends_at);

-- Telephone numbers belong to people, not to their shifts, and go with the last of these.
CREATE TABLE roster_number (
  environment text NOT NULL,
  team text NOT NULL,
  name text NOT NULL,
  number text NOT NULL,
  PRIMARY KEY (environment, team, name)
);
