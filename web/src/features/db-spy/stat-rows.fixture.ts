import type { StatRow } from '@portal/contract/db-spy';

/** Returns a statistics row for tests, with the given changes. */
export function statRow(changes: Partial<StatRow>): StatRow {
  return {
    id: '1',
    query: 'select * from visit where _id_ = $1',
    queryLength: null,
    calls: 10,
    total_time: 100,
    min_time: 1,
    max_time: 40,
    mean_time: 10,
    stddev_time: 3,
    rows: 20,
    ranBy: 'clinic_app',
    share: 0.1,
    plan_time: null,
    cache_hit: null,
    io_time: null,
    temp_bytes: null,
    wal_bytes: null,
    ...changes,
  };
}
