-- For charts: the records that were synced in each interval, and the longest that a change waited.
-- An interval without any has no row.
create table sync.activity (
  integration_id bigint not null references sync.integration on delete cascade,
  span text not null check (span in ('day', 'week', 'month')),
  -- When the interval begins.
  at timestamptz not null,
  to_journey bigint not null,
  to_helium bigint not null,
  to_journey_lag_ms bigint not null,
  to_helium_lag_ms bigint not null,
  primary key (integration_id, span, at)
) with (fillfactor = 50);
