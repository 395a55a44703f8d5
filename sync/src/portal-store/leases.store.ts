/**
 * Stores which process runs which integration. Only PostgreSQL's clock decides what has expired.
 */
import type { SyncStatus } from '@portal/contract/sync/integration';
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Pool } from '@portal/kit/postgres/pool';
import type { ProcessPlace } from '@portal/kit/process-place';
import { notifyIntegrationChanged } from './notifications.ts';
import type { WakeUps } from './wake-ups.store.ts';

export interface Lease {
  readonly id: string;
  /** Decimal digits; increases each time the lease is acquired. */
  readonly fence: string;
}

/** A lease of this process. */
export interface HeldLease extends Lease {
  /** Counts the requests of operators to try again now. */
  readonly attemptsRequested: number;
  readonly wakeUps: WakeUps;
}

/** A renewed lease with the current state of its integration. */
export interface RenewedLease extends HeldLease {
  readonly status: SyncStatus;
  readonly configVersion: number;
}

/** Uses the statement's time: a transaction's own `now()` does not advance while it waits. */
const expirySql = "clock_timestamp() + $2 * interval '1 millisecond'";

/**
 * Derived from the clock, so that a database restored from a backup does not issue a fence twice.
 */
const nextFenceSql = 'greatest(l.fence + 1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';

interface LeaseRow {
  readonly id: string;
  readonly fence: string;
}

interface HeldLeaseRow extends LeaseRow {
  readonly attempts_requested: number;
  readonly state_changes: number;
  readonly webhooks: number;
}

/** A process that runs integrations. */
export interface LeaseHolder {
  /** Unique across all processes, past and present. */
  readonly id: string;
  /** Null where it is unknown. */
  readonly place: ProcessPlace | null;
}

const countColumns = ['attempts_requested', 'state_changes', 'webhooks'];
const countsSql = countColumns.map((name) => `l.${name}::float8`).join(', ');

/** The leases of a process, with a digest of all that is known of them. */
export interface RenewedLeases {
  readonly digest: string | null;
  readonly leases: readonly RenewedLease[];
}

export const noLeases: RenewedLeases = { digest: null, leases: [] };

interface RenewedRow extends HeldLeaseRow {
  readonly status: SyncStatus;
  readonly config_version: number;
}

/**
 * Reports that this process is alive, which renews all its leases, and frees those of processes
 * that have expired. A row per process is written, because a row per lease, every second, would be
 * gigabytes of write-ahead log in a day. What was known is returned again if nothing has changed.
 */
export async function renewLeases(
  pool: Pool,
  { id: holder, place }: LeaseHolder,
  durationMs: number,
  known: RenewedLeases,
): Promise<RenewedLeases> {
  const { rows } = await pool.query<{ digest: string | null } & (RenewedRow | { readonly id: null })>(
    namedQuery(
      'sync-renew-leases',
      `with alive as (
         insert into sync.process (id, expires_at, machine, pid, began) values ($1, ${expirySql}, $3, $4, $5)
         on conflict (id) do update set expires_at = excluded.expires_at
       ), gone as (
         -- One that is locked reports at this moment. Waiting for it could be mutual.
         delete from sync.process where id in (
           select id from sync.process where expires_at <= clock_timestamp() and id <> $1 for update skip locked)
         returning id
       ), freed as (
         update sync.lease l set holder = null, expires_at = '-infinity'
         where l.expires_at = 'infinity' and l.holder <> $1 and not exists (
           select from sync.process p where p.id = l.holder and p.id not in (select id from gone))
       ), held as (
         select l.integration_id as id, l.fence, ${countsSql}, i.status, i.config_version
         from sync.lease l join sync.integration i on i.id = l.integration_id
         where l.holder = $1 and l.expires_at = 'infinity'
       ), now as (
         select md5(string_agg(held::text, ' ' order by id)) as digest from held
       )
       select now.digest, held.* from now left join held on now.digest is distinct from $6 order by held.id`,
      [holder, durationMs, place?.machine, place?.pid, place?.began, known.digest],
    ),
  );
  const digest = rows[0]?.digest ?? null;
  if (digest === known.digest) return known;
  const leases = rows
    .filter((row) => row.id !== null)
    .map((row) => ({ ...toHeldLease(row), status: row.status, configVersion: row.config_version }));
  return { digest, leases };
}

/**
 * Reports that this process is alive, without reading its leases. Returns false when another
 * process has removed it, because it had expired.
 */
export async function extendLeases(pool: Pool, holder: string, durationMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    namedQuery('sync-extend-leases', `update sync.process set expires_at = ${expirySql} where id = $1`, [
      holder,
      durationMs,
    ]),
  );
  return rowCount === 1;
}

/** Returns the other processes of a machine. */
export async function readNeighbors(
  pool: Pool,
  { id, place }: LeaseHolder,
): Promise<(ProcessPlace & { readonly id: string })[]> {
  const { rows } = await pool.query<ProcessPlace & { readonly id: string }>(
    'select id, machine, pid, began from sync.process where machine = $1 and id <> $2',
    [place?.machine, id],
  );
  return rows;
}

export interface Share {
  /**
   * How many leases this process may hold: all enabled integrations divided by the live processes,
   * rounded up.
   */
  readonly share: number;
  /**
   * Time until another process expires, or what it has taken over for a single action, unless
   * renewed; null when there is no other process.
   */
  readonly nextExpiryMs: number | null;
}

export async function readShare(pool: Pool, holder: string): Promise<Share> {
  const { rows } = await pool.query<{ share: number; ends_in_ms: number | null }>(
    `select ceil((select count(*) from sync.integration where status = 'Enabled')
       / greatest(1, (select count(*) from sync.process where expires_at > clock_timestamp()))::numeric)::int as share,
       (select extract(epoch from min(expires_at) - clock_timestamp()) * 1000
        from (select holder, expires_at from sync.lease union all select id, expires_at from sync.process) as other
        where holder <> $1 and expires_at > clock_timestamp() and expires_at < 'infinity')::float8 as ends_in_ms`,
    [holder],
  );
  return { share: rows[0]?.share ?? 0, nextExpiryMs: rows[0]?.ends_in_ms ?? null };
}

/**
 * Acquires at most `limit` free leases of enabled integrations, and raises the fence of each. They
 * end with the process: one that has expired acquires none.
 */
export async function acquireLeases(pool: Pool, holder: string, limit: number): Promise<HeldLease[]> {
  const { rows } = await pool.query<HeldLeaseRow>(
    `with self as (
       select id from sync.process where id = $1 and expires_at > clock_timestamp() for share
     ), free as (
       select l.integration_id from self, sync.lease l join sync.integration i on i.id = l.integration_id
       where i.status = 'Enabled' and l.expires_at <= clock_timestamp()
       order by l.expires_at, l.integration_id limit $2 for update of l skip locked
     )
     update sync.lease l set holder = $1, fence = ${nextFenceSql}, expires_at = 'infinity'
     from free where l.integration_id = free.integration_id
     returning l.integration_id as id, l.fence, ${countsSql}`,
    [holder, limit],
  );
  return rows.map(toHeldLease);
}

function toHeldLease({ id, fence, attempts_requested, state_changes, webhooks }: HeldLeaseRow): HeldLease {
  return { id, fence, attemptsRequested: attempts_requested, wakeUps: { stateChanges: state_changes, webhooks } };
}

/** Requests the next attempt of an integration now, wherever it runs. */
export async function requestAttempt(pool: Pool, id: string): Promise<void> {
  await pool.query('update sync.lease set attempts_requested = attempts_requested + 1 where integration_id = $1', [id]);
  await notifyIntegrationChanged(pool, id);
}

/**
 * Takes over a lease from its current holder. Returns undefined when the integration does not
 * exist.
 */
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

/** The holder of a lease that a process has taken over for a single action. */
export function toExclusiveHolder(holder: string): string {
  return `${holder} exclusive`;
}

/** Releases leases immediately. Leases that another process has acquired since are not affected. */
export async function releaseLeases(pool: Pool, holder: string, leases: readonly Lease[]): Promise<void> {
  await pool.query(
    `update sync.lease l set holder = null, expires_at = '-infinity'
     from unnest($2::bigint[], $3::bigint[]) as mine (id, fence)
     where l.integration_id = mine.id and l.fence = mine.fence and l.holder = $1`,
    [holder, leases.map(({ id }) => id), leases.map(({ fence }) => fence)],
  );
}

/**
 * Removes a process that has ended or is about to, so that others need not wait for its leases to
 * expire.
 */
export async function removeProcess(pool: Pool, holder: string): Promise<void> {
  // The process first, as in all statements that lock both.
  await pool.query('delete from sync.process where id = $1', [holder]);
  await pool.query(`update sync.lease set holder = null, expires_at = '-infinity' where holder in ($1, $2)`, [
    holder,
    toExclusiveHolder(holder),
  ]);
}
