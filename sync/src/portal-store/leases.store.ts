/** Who runs which integration. PostgreSQL's clock alone decides what has expired. */
import type { SyncStatus } from '@portal/contract/sync-integration';
import type { Pool } from '@portal/kit/postgres/pool';

export interface Lease {
  readonly id: string;
  /** Decimal digits; greater with each taking. */
  readonly fence: string;
}

/** A lease as it was renewed, with what is to be known of its integration. */
export interface RenewedLease extends Lease {
  readonly status: SyncStatus;
  readonly configVersion: number;
}

/**
 * `now` in both is when the statement runs: a transaction's own time stands still while it waits.
 */
const expirySql = "clock_timestamp() + $2 * interval '1 millisecond'";

/**
 * By the clock, so that even a database brought back from a backup does not give a number out
 * twice.
 */
const nextFenceSql = 'greatest(l.fence + 1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';

interface LeaseRow {
  readonly id: string;
  readonly fence: string;
}

/**
 * Says that this process lives, and renews these leases in one statement. One that ran out is not
 * renewed.
 */
export async function renewLeases(
  pool: Pool,
  holder: string,
  durationMs: number,
  leases: readonly Lease[],
): Promise<RenewedLease[]> {
  const { rows } = await pool.query<LeaseRow & { status: SyncStatus; config_version: number }>(
    `with alive as (
       insert into sync.process (id, expires_at) values ($1, ${expirySql})
       on conflict (id) do update set expires_at = excluded.expires_at
     ), gone as (
       delete from sync.process where expires_at < clock_timestamp() - interval '1 minute' and id <> $1
     ), renewed as (
       update sync.lease l set expires_at = ${expirySql}
       from unnest($3::bigint[], $4::bigint[]) as mine (id, fence)
       where l.integration_id = mine.id and l.fence = mine.fence and l.holder = $1
         and l.expires_at > clock_timestamp()
       returning l.integration_id, l.fence
     )
     select r.integration_id as id, r.fence, i.status, i.config_version
     from renewed r join sync.integration i on i.id = r.integration_id`,
    [holder, durationMs, leases.map(({ id }) => id), leases.map(({ fence }) => fence)],
  );
  return rows.map(({ id, fence, status, config_version }) => ({ id, fence, status, configVersion: config_version }));
}

export interface Share {
  /**
   * How many this process may hold: all enabled ones divided by the processes that live, rounded
   * up.
   */
  readonly share: number;
  /**
   * When the first lease of another process ends, or the process counts no more, unless it renews
   * them; null: no other.
   */
  readonly nextExpiryMs: number | null;
}

export async function readShare(pool: Pool, holder: string): Promise<Share> {
  const { rows } = await pool.query<{ share: number; ends_in_ms: number | null }>(
    `select ceil((select count(*) from sync.integration where status = 'Enabled')
       / greatest(1, (select count(*) from sync.process where expires_at > clock_timestamp()))::numeric)::int as share,
       (select extract(epoch from min(expires_at) - clock_timestamp()) * 1000
        from (select holder, expires_at from sync.lease union all select id, expires_at from sync.process) as other
        where holder <> $1 and expires_at > clock_timestamp())::float8 as ends_in_ms`,
    [holder],
  );
  return { share: rows[0]?.share ?? 0, nextExpiryMs: rows[0]?.ends_in_ms ?? null };
}

/**
 * Takes leases of enabled integrations that nobody holds any more, at most so many; raises the
 * fence of each.
 */
export async function acquireLeases(pool: Pool, holder: string, durationMs: number, limit: number): Promise<Lease[]> {
  const { rows } = await pool.query<LeaseRow>(
    `with free as (
       select l.integration_id from sync.lease l join sync.integration i on i.id = l.integration_id
       where i.status = 'Enabled' and l.expires_at <= clock_timestamp()
       order by l.expires_at, l.integration_id limit $3 for update of l skip locked
     )
     update sync.lease l set holder = $1, fence = ${nextFenceSql}, expires_at = ${expirySql}
     from free where l.integration_id = free.integration_id
     returning l.integration_id as id, l.fence`,
    [holder, durationMs, limit],
  );
  return rows;
}

/** Takes a lease from whoever holds it. Undefined: there is no such integration. */
export async function seizeLease(
  pool: Pool,
  holder: string,
  durationMs: number,
  id: string,
): Promise<Lease | undefined> {
  const { rows } = await pool.query<LeaseRow>(
    `update sync.lease l set holder = $1, fence = ${nextFenceSql}, expires_at = ${expirySql}
     where integration_id = $3 returning l.integration_id as id, l.fence`,
    [holder, durationMs, id],
  );
  return rows[0];
}

/** Gives leases back at once. Those that somebody else has taken meanwhile stay theirs. */
export async function releaseLeases(pool: Pool, holder: string, leases: readonly Lease[]): Promise<void> {
  await pool.query(
    `update sync.lease l set holder = null, expires_at = '-infinity'
     from unnest($2::bigint[], $3::bigint[]) as mine (id, fence)
     where l.integration_id = mine.id and l.fence = mine.fence and l.holder = $1`,
    [holder, leases.map(({ id }) => id), leases.map(({ fence }) => fence)],
  );
}

/** The last act of a process that ends in order: nobody has to wait for its leases to run out. */
export async function removeProcess(pool: Pool, holder: string): Promise<void> {
  await pool.query(
    `with gone as (delete from sync.process where id = $1)
     update sync.lease set holder = null, expires_at = '-infinity' where holder = $1`,
    [holder],
  );
}
