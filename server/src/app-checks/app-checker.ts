import { setMaxListeners } from 'node:events';
import type { Logger } from '@portal/kit/logger';
import { isTemporary, type Pool } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import { findDueApps, isAreaViewed, removeOld, saveFailure, saveResult, saveSource } from './app-checks.store.ts';
import { BackgroundLease } from './background-lease.ts';
import type { CheckSource } from './check-source.ts';
import type { Clock } from './clock.ts';

export interface AppCheckerOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly sources: readonly CheckSource[];
  readonly clock: Clock;
}

interface Batch {
  readonly minAgeMs: number;
  /** For apps whose page is open. */
  readonly openMinAgeMs: number;
  /** Null for all that are due. */
  readonly limit: number | null;
  /** Apps that were never checked come first in the next batch. */
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

const leaseCheckMs = 10_000;
/** A node that cannot renew its lease stops when others may acquire it. */
const leaseLostMs = 30_000;
const idleMs = 1_000;
/** After a failure. Doubles with each further one, so that a lasting one costs and logs little. */
const failurePauseMs = { min: 5_000, max: 60_000 };
/** An app whose page is open is checked this often. */
const openMinAgeMs = 10_000;
const maxBatch = 50;
/** A page that is opened waits for the end of a batch. */
const maxBatchMs = 6_000;

/**
 * Checks the apps that someone views, in the background and each source on its own. Of all nodes,
 * only the one that holds the lease does. Apps whose page is open come first. Then it goes on with
 * the app that was checked longest ago, so that it stops and is taken over without losing its turn.
 */
export class AppChecker {
  readonly #options: AppCheckerOptions;
  readonly #lease: BackgroundLease;
  #timer: NodeJS.Timeout | undefined;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #work: { readonly end: AbortController; readonly done: Promise<unknown> } | undefined;

  constructor(options: AppCheckerOptions) {
    this.#options = options;
    this.#lease = new BackgroundLease(options.pool, 'app checks');
  }

  /** Competes for the lease from now on. */
  start(): void {
    this.#timer ??= setInterval(() => void this.competeForLease(), leaseCheckMs).unref();
    void this.competeForLease();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    if (!this.#work) return;
    await this.#stopWork();
    // While the database is unavailable, the lease expires.
    await this.#lease.release().catch(() => undefined);
  }

  /** Acquires or renews the lease, and works while this node holds it. */
  async competeForLease(): Promise<void> {
    const { pool, clock, logger } = this.#options;
    try {
      if (!(await this.#lease.acquire())) return void (await this.#stopWork());
      this.#leasedAt = clock.now();
      this.#startWork();
      await removeOld(pool);
    } catch (error) {
      if (!isTemporary(error)) logger.error({ err: error }, 'could not renew the lease of the app checks');
      if (clock.now() - this.#leasedAt > leaseLostMs) await this.#stopWork();
    }
  }

  /** Checks all viewed apps once, whether or not this node holds the lease. */
  async checkAll(): Promise<void> {
    const { signal } = new AbortController();
    const all = { minAgeMs: 0, openMinAgeMs: 0, limit: null, maxMs: Number.POSITIVE_INFINITY, signal };
    await Promise.all(this.#options.sources.map((source) => this.#checkDue(source, all)));
  }

  #startWork(): void {
    if (this.#work || this.#isStopped) return;
    const end = new AbortController();
    // Each source waits for it.
    setMaxListeners(0, end.signal);
    const done = Promise.all(this.#options.sources.map((source) => this.#checkUntil(end.signal, source)));
    this.#work = { end, done };
  }

  async #stopWork(): Promise<void> {
    const work = this.#work;
    this.#work = undefined;
    work?.end.abort();
    await work?.done;
  }

  async #checkUntil(signal: AbortSignal, source: CheckSource): Promise<void> {
    const { clock, logger } = this.#options;
    const { minAgeMs } = source;
    const ages = { minAgeMs, openMinAgeMs: Math.min(openMinAgeMs, minAgeMs) };
    const batch = { ...ages, limit: maxBatch, maxMs: maxBatchMs, signal };
    let pauseMs = failurePauseMs.min;
    while (!signal.aborted) {
      try {
        const due = await this.#checkDue(source, batch);
        pauseMs = failurePauseMs.min;
        if (due === 0) await clock.pause(idleMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        const { environment, source: name } = source;
        if (!isTemporary(error)) logger.error({ environment, source: name, err: error }, 'could not check apps');
        await clock.pause(pauseMs, signal).catch(() => undefined);
        pauseMs = Math.min(failurePauseMs.max, pauseMs * 2);
      }
    }
  }

  /** Returns the number of apps that were due. */
  async #checkDue(source: CheckSource, { limit, maxMs, signal, ...ages }: Batch): Promise<number> {
    const { pool, clock } = this.#options;
    if (!(await isAreaViewed(pool, source))) return 0;
    const known = await this.#listApps(source, signal);
    if (known === undefined) return 0;
    const due = await findDueApps(pool, source, known && [...known], { ...ages, limit });
    const startedAt = clock.now();
    for (const app of due) {
      if (source.silence || clock.now() - startedAt > maxMs || !(await isAreaViewed(pool, source))) break;
      await this.#check(source, app, signal);
    }
    return due.length;
  }

  /** Returns undefined if the source cannot be read. */
  async #listApps(source: CheckSource, signal: AbortSignal): Promise<ReadonlySet<string> | null | undefined> {
    const { pool } = this.#options;
    try {
      if (source.silence) throw source.silence;
      const apps = await source.listApps(signal);
      await saveSource(pool, source, { apps: apps && [...apps] });
      return apps;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await saveSource(pool, source, { problem: error.message });
      return undefined;
    }
  }

  async #check(source: CheckSource, app: string, signal: AbortSignal): Promise<void> {
    const { pool, logger } = this.#options;
    try {
      const result = await source.check(app, signal);
      if (result === 'refused') await saveFailure(pool, source, app, null);
      else if (result) await saveResult(pool, source, app, result);
    } catch (error) {
      signal.throwIfAborted();
      if (source.silence) return saveSource(pool, source, { problem: source.silence.message });
      // Without a record of the attempt, the app would be the next one again, before all others.
      if (error instanceof Problem) return saveFailure(pool, source, app, error.message);
      if (isTemporary(error)) throw error;
      const { environment, source: name } = source;
      logger.error({ environment, source: name, app, err: error }, 'could not check an app');
      await saveFailure(pool, source, app, 'An internal error occurred.');
    }
  }
}
