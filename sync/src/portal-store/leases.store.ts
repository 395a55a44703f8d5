/** Who runs which integration. PostgreSQL's clock alone decides what has expired. */
import type { SyncStatus } from '@portal/contract/sync-integration';
import type { Pool } from '@portal/kit/postgres/pool';

export interface Lease {
  readonly no: string;
  /** Decimal digits; greater with each taking. */
  readonly fence: string;
}

/** A lease as it was renewed, with what is to be known of its integration. */
export interface RenewedLease extends Lease {
  readonly status: SyncStatus;
  readonly configNo: number;
}

/** `now` in both is when the statement runs: a transaction's own time stands still while it waits. */
const until = "clock_timestamp() + $2 * interval '1 millisecond'";

/** By the clock, so that even a database brought back from a backup does not give a number out twice. */
const nextFence = 'greatest(l.fence + 1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

interface LeaseRow {
  readonly no: string;
  readonly fence: string;
}

/** Says that this process lives, and renews these leases in one statement. One that ran out is not renewed. */
export async function renewLeases(
  pool: Pool,
  holder: string,
  forMs: number,
  leases: readonly Lease[],
): Promise<RenewedLease[]> {
  const { rows } = await pool.query<LeaseRow & { status: SyncStatus; config_no: number }>(
    `WITH alive AS (
       INSERT INTO sync.process (id, expires_at) VALUES ($1, ${until})
       ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
     ), gone AS (
       DELETE FROM sync.process WHERE expires_at < clock_timestamp() - interval '1 minute' AND id <> $1
     ), renewed AS (
       UPDATE sync.lease l SET expires_at = ${until}
       FROM unnest($3::bigint[], $4::bigint[]) AS mine (no, fence)
       WHERE l.integration_no = mine.no AND l.fence = mine.fence AND l.holder = $1
         AND l.expires_at > clock_timestamp()
       RETURNING l.integration_no, l.fence
     )
     SELECT r.integration_no AS no, r.fence, i.status, i.config_no
     FROM renewed r JOIN sync.integration i ON i.no = r.integration_no`,
    [holder, forMs, leases.map(({ no }) => no), leases.map(({ fence }) => fence)],
  );
  return rows.map(({ no, fence, status, config_no }) => ({ no, fence, status, configNo: config_no }));
}

export interface Share {
  /** How many this process may hold: all enabled ones divided by the processes that live, rounded up. */
  readonly share: number;
  /** When the first lease of another process ends, or the process counts no more, unless it renews them; null: no other. */
  readonly othersEndInMs: number | null;
}

export async function readShare(pool: Pool, holder: string): Promise<Share> {
  const { rows } = await pool.query<{ share: number; ends_in_ms: number | null }>(
    `SELECT ceil((SELECT count(*) FROM sync.integration WHERE status = 'Enabled')
       / greatest(1, (SELECT count(*) FROM sync.process WHERE expires_at > clock_timestamp()))::numeric)::int AS share,
       (SELECT extract(epoch FROM min(expires_at) - clock_timestamp()) * 1000
        FROM (SELECT holder, expires_at FROM sync.lease UNION ALL SELECT id, expires_at FROM sync.process) AS other
        WHERE holder <> $1 AND expires_at > clock_timestamp())::float8 AS ends_in_ms`,
    [holder],
  );
  return { share: rows[0]?.share ?? 0, othersEndInMs: rows[0]?.ends_in_ms ?? null };
}

/** Takes leases of enabled integrations that nobody holds any more, at most so many; raises the fence of each. */
export async function takeLeases(pool: Pool, holder: string, forMs: number, atMost: number): Promise<Lease[]> {
  const { rows } = await pool.query<LeaseRow>(
    `WITH free AS (
       SELECT l.integration_no FROM sync.lease l JOIN sync.integration i ON i.no = l.integration_no
       WHERE i.status = 'Enabled' AND l.expires_at <= clock_timestamp()
       ORDER BY l.expires_at, l.integration_no LIMIT $3 FOR UPDATE OF l SKIP LOCKED
     )
     UPDATE sync.lease l SET holder = $1, fence = ${nextFence}, expires_at = ${until}
     FROM free WHERE l.integration_no = free.integration_no
     RETURNING l.integration_no AS no, l.fence`,
    [holder, forMs, atMost],
  );
  return rows;
}

/** Takes a lease from whoever holds it. Undefined: there is no such integration. */
export async function seizeLease(pool: Pool, holder: string, forMs: number, no: string): Promise<Lease | undefined> {
  const { rows } = await pool.query<LeaseRow>(
    `UPDATE sync.lease l SET holder = $1, fence = ${nextFence}, expires_at = ${until}
     WHERE integration_no = $3 RETURNING l.integration_no AS no, l.fence`,
    [holder, forMs, no],
  );
  return rows[0];
}

/** Gives leases back at once. Those that somebody else has taken meanwhile stay theirs. */
export async function releaseLeases(pool: Pool, holder: string, leases: readonly Lease[]): Promise<void> {
  await pool.query(
    `UPDATE sync.lease l SET holder = NULL, expires_at = '-infinity'
     FROM unnest($2::bigint[], $3::bigint[]) AS mine (no, fence)
     WHERE l.integration_no = mine.no AND l.fence = mine.fence AND l.holder = $1`,
    [holder, leases.map(({ no }) => no), leases.map(({ fence }) => fence)],
  );
}

/** The last act of a process that ends in order: nobody has to wait for its leases to run out. */
export async function leave(pool: Pool, holder: string): Promise<void> {
  await pool.query(
    `WITH gone AS (DELETE FROM sync.process WHERE id = $1)
     UPDATE sync.lease SET holder = NULL, expires_at = '-infinity' WHERE holder = $1`,
    [holder],
  );
}
