-- Named groups of apps whose sync integrations are watched together; shared by all of an environment.
CREATE TABLE sync_dashboard (
  environment text NOT NULL,
  name text NOT NULL,
  -- In the order they were chosen in.
  app_ids text[] NOT NULL,
  PRIMARY KEY (environment, name)
);
