-- Rosters that come from elsewhere, as they were read last: shown while their source is away, also after a restart.
CREATE TABLE kept_roster (
  environment text NOT NULL,
  team text NOT NULL,
  -- A hash of where it comes from: the address of a calendar is a secret, and a roster from another place is another one.
  source bytea NOT NULL,
  read_at timestamptz NOT NULL,
  -- Of each year its shifts: person, name, start and end in epoch milliseconds.
  years jsonb NOT NULL,
  -- Telephone numbers by person.
  numbers jsonb NOT NULL,
  PRIMARY KEY (environment, team)
);
