/**
 * The leases of this process: the integrations it may run. They last as long as the process is
 * known to be alive, which it reports twice a second, for 2.75 seconds. So other processes acquire
 * them within that time of a kill -9; those of the same machine find out in their next cycle that
 * the process has ended. Each acquisition raises the fence; the engine's transactions reject a
 * paused process that does not know yet that it was replaced.
 *
 * By the local clock the leases end no later than by PostgreSQL's: they count from before the
 * statement was sent.
 */
import { performance } from 'node:perf_hooks';
import type { DatabaseSilence } from '@portal/kit/postgres/database-silence';
import type { Pool } from '@portal/kit/postgres/pool';
import { hasEnded } from '@portal/kit/process-place';
import {
  acquireLeases,
  extendLeases,
  type HeldLease,
  type Lease,
  type LeaseHolder,
  noLeases,
  type RenewedLease,
  readNeighbors,
  readShare,
  releaseLeases,
  removeProcess,
  renewLeases,
  type Share,
  seizeLease,
  toExclusiveHolder,
} from '../portal-store/leases.store.ts';
import { notifyIntegrationChanged } from '../portal-store/notifications.ts';

const leaseDurationMs = 2_750;
/** How often this process reports that it is alive. It may stand still for 2.25 seconds. */
export const extendIntervalMs = 500;
/** How often it also reads its leases, and frees those of processes that have expired. */
export const renewIntervalMs = 1_500;
/** How long no other process may run an integration during exclusive work, at most. */
const exclusiveLeaseMs = 60_000;

/**
 * Two clocks, because neither is reliable alone: one stops while the machine sleeps, the other can
 * be set.
 */
interface Instant {
  readonly steadyMs: number;
  readonly wallMs: number;
}

const now = (): Instant => ({ steadyMs: performance.now(), wallMs: Date.now() });

const elapsedMs = ({ steadyMs, wallMs }: Instant): number =>
  Math.max(performance.now() - steadyMs, Date.now() - wallMs);

export class Leases {
  readonly holder: string;
  readonly #pool: Pool;
  readonly #silence: DatabaseSilence | undefined;
  readonly #self: LeaseHolder;
  /** The fences by integration id. */
  readonly #held = new Map<string, string>();
  /** The instant from which all leases count. */
  #renewed: Instant = { steadyMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };
  #known = noLeases;
  #isExtending = false;

  /** @param silence watches whether the pool's database answers */
  constructor(pool: Pool, self: LeaseHolder, silence?: DatabaseSilence) {
    this.#pool = pool;
    this.#silence = silence;
    this.#self = self;
    this.holder = self.id;
  }

  /** Whether all leases have expired by the local clock. */
  get haveExpired(): boolean {
    return elapsedMs(this.#renewed) >= leaseDurationMs;
  }

  /** Returns whether the lease is still valid by the local clock. */
  isHeld({ id, fence }: Lease): boolean {
    return this.#held.get(id) === fence && !this.haveExpired;
  }

  /**
   * Renews all leases, and releases those that had ended by the local clock, or were acquired
   * without this process's knowledge.
   */
  async renew(): Promise<readonly RenewedLease[]> {
    const from = now();
    this.#known = await this.#watch(() => renewLeases(this.#pool, this.#self, leaseDurationMs, this.#known));
    const { leases } = this.#known;
    const held = this.haveExpired ? [] : leases.filter(({ id, fence }) => this.#held.get(id) === fence);
    this.#held.clear();
    for (const { id, fence } of held) this.#held.set(id, fence);
    this.#countFrom(from);
    if (held.length < leases.length) await this.release(leases.filter((lease) => !this.isHeld(lease)));
    return held;
  }

  /**
   * Extends all leases, unless they have expired by the local clock: their runs may have ended
   * then. Fails silently, because the next renewal reports it.
   */
  async extend(): Promise<void> {
    if (this.#isExtending || this.haveExpired) return;
    this.#isExtending = true;
    const from = now();
    const extend = () => extendLeases(this.#pool, this.holder, leaseDurationMs);
    const isExtended = await this.#watch(extend).catch(() => false);
    if (isExtended && !this.haveExpired) this.#countFrom(from);
    this.#isExtending = false;
  }

  #watch<T>(statement: () => Promise<T>): Promise<T> {
    return this.#silence ? this.#silence.watch(statement) : statement();
  }

  /** The request that was sent last decides, even if its response comes first. */
  #countFrom(from: Instant): void {
    if (from.steadyMs > this.#renewed.steadyMs) this.#renewed = from;
  }

  /** Frees the leases of processes of this machine that have ended without releasing them. */
  async freeEnded(): Promise<void> {
    const neighbors = await readNeighbors(this.#pool, this.#self);
    for (const { id } of neighbors.filter(hasEnded)) await removeProcess(this.#pool, id);
  }

  readShare(): Promise<Share> {
    return readShare(this.#pool, this.holder);
  }

  async acquire(limit: number): Promise<HeldLease[]> {
    const acquired = await acquireLeases(this.#pool, this.holder, limit);
    for (const { id, fence } of acquired) this.#held.set(id, fence);
    return acquired;
  }

  async release(leases: readonly Lease[]): Promise<void> {
    for (const { id } of leases) this.#held.delete(id);
    if (leases.length > 0) await releaseLeases(this.#pool, this.holder, leases);
  }

  /**
   * Runs work while no other process runs the integration, under a fence of its own. The current
   * holder loses its lease and is notified. Returns undefined when the integration does not exist.
   */
  async withExclusiveLease<T>(id: string, work: (fence: string) => Promise<T>): Promise<T | undefined> {
    const holder = toExclusiveHolder(this.holder);
    const lease = await seizeLease(this.#pool, holder, exclusiveLeaseMs, id);
    if (!lease) return undefined;
    try {
      await notifyIntegrationChanged(this.#pool, id);
      return await work(lease.fence);
    } finally {
      await releaseLeases(this.#pool, holder, [lease]);
      await notifyIntegrationChanged(this.#pool, id);
    }
  }

  /** Releases all leases at shutdown. */
  async stop(): Promise<void> {
    this.#held.clear();
    await removeProcess(this.#pool, this.holder);
  }
}
