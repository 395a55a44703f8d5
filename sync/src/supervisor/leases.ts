/**
 * The leases of this process: which integrations it may run. They are renewed together every second
 * and a half and last four, so after a kill -9 others take them over within four. Each taking
 * raises the fence, by which the engine's own transactions refuse whoever was paused and does not
 * know yet that it has been replaced.
 *
 * By our own clocks a lease ends no later than by PostgreSQL's: it is counted from before the
 * statement was sent.
 */
import { performance } from 'node:perf_hooks';
import type { Pool } from '@portal/kit/postgres/pool';
import {
  acquireLeases,
  type Lease,
  type RenewedLease,
  readShare,
  releaseLeases,
  removeProcess,
  renewLeases,
  type Share,
  seizeLease,
} from '../portal-store/leases.store.ts';
import { notifyIntegrationChanged } from '../portal-store/notifications.ts';

const leaseDurationMs = 4_000;
export const renewIntervalMs = 1_500;

/**
 * Two clocks, for neither runs on through everything: one stands still while the machine sleeps,
 * one is set by people.
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
  /** By the id of the integration: its fence, and from when on the lease is counted. */
  readonly #held = new Map<string, { readonly fence: string; readonly from: Instant }>();

  constructor(pool: Pool, holder: string) {
    this.#pool = pool;
    this.holder = holder;
  }

  /** Whether the lease has not run out by our clocks. */
  isHeld({ id, fence }: Lease): boolean {
    const held = this.#held.get(id);
    return held?.fence === fence && elapsedMs(held.from) < leaseDurationMs;
  }

  get held(): Lease[] {
    return [...this.#held].map(([id, { fence }]) => ({ id, fence })).filter((lease) => this.isHeld(lease));
  }

  /** Renews all; those that it does not answer are lost. */
  async renew(): Promise<RenewedLease[]> {
    const from = now();
    const renewed = await renewLeases(this.#pool, this.holder, leaseDurationMs, this.held);
    // What was given back meanwhile stays given back.
    const stillHeld = renewed.filter((lease) => this.isHeld(lease));
    this.#held.clear();
    for (const { id, fence } of stillHeld) this.#held.set(id, { fence, from });
    return stillHeld;
  }

  readShare(): Promise<Share> {
    return readShare(this.#pool, this.holder);
  }

  async acquire(limit: number): Promise<Lease[]> {
    const from = now();
    const acquired = await acquireLeases(this.#pool, this.holder, leaseDurationMs, limit);
    for (const { id, fence } of acquired) this.#held.set(id, { fence, from });
    return acquired;
  }

  async release(leases: readonly Lease[]): Promise<void> {
    for (const { id } of leases) this.#held.delete(id);
    if (leases.length > 0) await releaseLeases(this.#pool, this.holder, leases);
  }

  /**
   * Does what nobody may run beside, under a fence of its own; whoever holds the lease loses it and
   * hears so. Undefined when there is no such integration.
   */
  async withExclusiveLease<T>(
    id: string,
    durationMs: number,
    work: (fence: string) => Promise<T>,
  ): Promise<T | undefined> {
    const holder = `${this.holder} for a moment`;
    const lease = await seizeLease(this.#pool, holder, durationMs, id);
    if (!lease) return undefined;
    try {
      await notifyIntegrationChanged(this.#pool, id);
      return await work(lease.fence);
    } finally {
      await releaseLeases(this.#pool, holder, [lease]);
      await notifyIntegrationChanged(this.#pool, id);
    }
  }

  /** Gives back all, as its last act. */
  async stop(): Promise<void> {
    this.#held.clear();
    await removeProcess(this.#pool, this.holder);
  }
}
