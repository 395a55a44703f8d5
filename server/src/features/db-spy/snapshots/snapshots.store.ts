import type { Pool } from '@portal/kit/postgres/pool';

/** A data source of an environment. */
export interface Source {
  readonly environment: string;
  readonly dataSource: string;
}

export interface SnapshotMoment {
  readonly takenAt: Date;
  /** As reported by the server; null if it does not report resets. */
  readonly statsReset: Date | null;
  readonly serverStartedAt: Date;
}

export interface NewSnapshot extends SnapshotMoment {
  readonly kind: 'scheduled' | 'before reset';
  readonly numbers: Buffer;
}

export interface FoundSnapshot extends SnapshotMoment {
  readonly numbers: Buffer;
}

export async function addSnapshot(pool: Pool, { environment, dataSource }: Source, snapshot: NewSnapshot) {
  const { takenAt, kind, statsReset, serverStartedAt, numbers } = snapshot;
  await pool.query(
    `insert into statement_snapshot (environment, data_source, taken_at, kind, stats_reset, server_started_at, numbers)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [environment, dataSource, takenAt, kind, statsReset, serverStartedAt, numbers],
  );
}

/** Returns the newest snapshot taken at or before the instant, or else the oldest one. */
export async function findSnapshot(
  pool: Pool,
  { environment, dataSource }: Source,
  instant: Date,
): Promise<FoundSnapshot | undefined> {
  const { rows } = await pool.query<FoundSnapshot>(
    `select taken_at as "takenAt", stats_reset as "statsReset", server_started_at as "serverStartedAt", numbers
     from statement_snapshot where environment = $1 and data_source = $2
     order by taken_at <= $3 desc, abs(extract(epoch from taken_at - $3)) limit 1`,
    [environment, dataSource, instant],
  );
  return rows[0];
}

export interface SnapshotPeriod {
  readonly from: Date;
  readonly to: Date;
  readonly intervals: number;
}

/**
 * Returns the snapshots that divide a period into at most that many intervals of similar length,
 * oldest first. A period that begins before the first snapshot begins with it.
 */
export async function listSnapshots(
  pool: Pool,
  { environment, dataSource }: Source,
  { from, to, intervals }: SnapshotPeriod,
): Promise<FoundSnapshot[]> {
  const { rows } = await pool.query<FoundSnapshot>(
    `select distinct on (snapshot.taken_at) taken_at as "takenAt", stats_reset as "statsReset",
       server_started_at as "serverStartedAt", numbers
     from (
       select greatest($3::timestamptz, min(taken_at)) as beginning from statement_snapshot
       where environment = $1 and data_source = $2
     ) period
     cross join generate_series(0, $5::int) step
     cross join lateral (
       select * from statement_snapshot
       where environment = $1 and data_source = $2
         and taken_at <= period.beginning + ($4::timestamptz - period.beginning) * step / $5::int
       order by taken_at desc limit 1
     ) snapshot
     order by snapshot.taken_at`,
    [environment, dataSource, from, to, intervals],
  );
  return rows;
}

/**
 * Deletes snapshots older than 30 days. For this data source, also reduces those older than two
 * days to one an hour, except those taken before a reset.
 */
export async function thinSnapshots(pool: Pool, { environment, dataSource }: Source, now: Date): Promise<void> {
  await pool.query(
    `delete from statement_snapshot old where taken_at < $3::timestamptz - interval '30 days'
       or environment = $1 and data_source = $2 and kind = 'scheduled'
         and taken_at < $3::timestamptz - interval '48 hours' and exists (
           select from statement_snapshot earlier
           where earlier.environment = $1 and earlier.data_source = $2 and earlier.taken_at < old.taken_at
             and earlier.taken_at >= date_trunc('hour', old.taken_at))`,
    [environment, dataSource, now],
  );
}

/** Records that a user is viewing the statistics of this data source. */
export async function noteView(pool: Pool, { environment, dataSource }: Source, now: Date): Promise<void> {
  await pool.query(
    `insert into statement_source (environment, data_source, looked_at) values ($1, $2, $3)
     on conflict (environment, data_source) do update set looked_at = excluded.looked_at`,
    [environment, dataSource, now],
  );
}

/**
 * Claims the next snapshot for this node. Returns true if a snapshot is due (hourly, or every five
 * minutes while the statistics are being viewed) and no node has tried within the last minute.
 */
export async function claimSnapshot(pool: Pool, { environment, dataSource }: Source, now: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into statement_source as source (environment, data_source, tried_at)
     select $1, $2, $3
     where not exists (
       select from statement_snapshot s where s.environment = $1 and s.data_source = $2 and s.taken_at > $3::timestamptz -
         case when exists (
           select from statement_source looked where looked.environment = $1 and looked.data_source = $2
             and looked.looked_at > $3::timestamptz - interval '6 minutes')
         then interval '5 minutes' else interval '1 hour' end)
     on conflict (environment, data_source) do update set tried_at = excluded.tried_at
       where source.tried_at is null or source.tried_at <= excluded.tried_at - interval '50 seconds'`,
    [environment, dataSource, now],
  );
  return rowCount === 1;
}
