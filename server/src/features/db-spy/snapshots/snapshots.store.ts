import type { Pool } from '@portal/kit/postgres/pool';

/** A data source of an environment. */
export interface Source {
  readonly environment: string;
  readonly dataSource: string;
}

export interface SnapshotMoment {
  readonly takenAt: Date;
  /** As the server said; null where it does not. */
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
    `INSERT INTO statement_snapshot (environment, data_source, taken_at, kind, stats_reset, server_started_at, numbers)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [environment, dataSource, takenAt, kind, statsReset, serverStartedAt, numbers],
  );
}

/** The newest that is not younger than the instant, else the oldest there is. */
export async function findSnapshot(
  pool: Pool,
  { environment, dataSource }: Source,
  instant: Date,
): Promise<FoundSnapshot | undefined> {
  const { rows } = await pool.query<FoundSnapshot>(
    `SELECT taken_at AS "takenAt", stats_reset AS "statsReset", server_started_at AS "serverStartedAt", numbers
     FROM statement_snapshot WHERE environment = $1 AND data_source = $2
     ORDER BY taken_at <= $3 DESC, abs(extract(epoch FROM taken_at - $3)) LIMIT 1`,
    [environment, dataSource, instant],
  );
  return rows[0];
}

/**
 * Keeps 30 days, and of this data source, where it is older than two days, one an hour, besides those that a reset left
 * behind.
 */
export async function thinSnapshots(pool: Pool, { environment, dataSource }: Source, now: Date): Promise<void> {
  await pool.query(
    `DELETE FROM statement_snapshot old WHERE taken_at < $3::timestamptz - interval '30 days'
       OR environment = $1 AND data_source = $2 AND kind = 'scheduled'
         AND taken_at < $3::timestamptz - interval '48 hours' AND EXISTS (
           SELECT FROM statement_snapshot earlier
           WHERE earlier.environment = $1 AND earlier.data_source = $2 AND earlier.taken_at < old.taken_at
             AND earlier.taken_at >= date_trunc('hour', old.taken_at))`,
    [environment, dataSource, now],
  );
}

/** Somebody looks at the statistics of this data source. */
export async function noteLook(pool: Pool, { environment, dataSource }: Source, now: Date): Promise<void> {
  await pool.query(
    `INSERT INTO statement_source (environment, data_source, looked_at) VALUES ($1, $2, $3)
     ON CONFLICT (environment, data_source) DO UPDATE SET looked_at = excluded.looked_at`,
    [environment, dataSource, now],
  );
}

/**
 * Whether this node is the one to take a snapshot now: one is due, hourly or, while somebody looks, every five minutes,
 * and no node has set out to take it within the last minute. Says so to the others.
 */
export async function claimSnapshot(pool: Pool, { environment, dataSource }: Source, now: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO statement_source AS source (environment, data_source, tried_at)
     SELECT $1, $2, $3
     WHERE NOT EXISTS (
       SELECT FROM statement_snapshot s WHERE s.environment = $1 AND s.data_source = $2 AND s.taken_at > $3::timestamptz -
         CASE WHEN EXISTS (
           SELECT FROM statement_source looked WHERE looked.environment = $1 AND looked.data_source = $2
             AND looked.looked_at > $3::timestamptz - interval '6 minutes')
         THEN interval '5 minutes' ELSE interval '1 hour' END)
     ON CONFLICT (environment, data_source) DO UPDATE SET tried_at = excluded.tried_at
       WHERE source.tried_at IS NULL OR source.tried_at <= excluded.tried_at - interval '50 seconds'`,
    [environment, dataSource, now],
  );
  return rowCount === 1;
}
