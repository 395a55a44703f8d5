/**
 * The Supervisor runs the integrations whose leases this process holds. One cycle serves all of
 * them: it renews leases, applies changes, releases surplus leases and acquires free ones. It runs
 * every 1.5 seconds, when a lease of another process expires, and when a change is notified.
 */
import type { SyncStatus } from '@portal/contract/sync/integration';
import type { Logger } from '@portal/kit/logger';
import type { DatabaseSilence } from '@portal/kit/postgres/database-silence';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Secret } from '@portal/kit/secret';
import { Slots } from '@portal/kit/slots';
import type { StoredIntegration } from '../integration/integration.ts';
import type { StartRun } from '../integration/run-host.ts';
import type { HeldLease, Lease, LeaseHolder } from '../portal-store/leases.store.ts';
import type { LogWriter } from '../portal-store/log-writer.ts';
import type { Notifications } from '../portal-store/notifications.ts';
import { parseWakeUps } from '../portal-store/wake-ups.store.ts';
import type { RetryLimits } from './classify-failure.ts';
import { FigureWriter } from './figure-writer.ts';
import { defaultRetryLimits, IntegrationRunner, type RunnerParts } from './integration-runner.ts';
import { extendIntervalMs, Leases, renewIntervalMs } from './leases.ts';

/** How often to check for expired leases while PostgreSQL cannot be reached. */
const expiryCheckIntervalMs = 500;

export interface SupervisorParts {
  readonly pool: Pool;
  readonly silence?: DatabaseSilence;
  readonly notifications: Notifications;
  readonly logger: Logger;
  readonly logWriter: LogWriter;
  readonly startRun: StartRun;
  readonly readPassword: (integration: StoredIntegration) => Promise<Secret>;
  readonly holder: LeaseHolder;
  readonly slots: number;
  readonly retryLimits?: RetryLimits;
}

export class Supervisor {
  readonly leases: Leases;
  readonly figureWriter: FigureWriter;
  readonly #parts: RunnerParts;
  readonly #logger: Logger;
  readonly #runners = new Map<string, IntegrationRunner>();
  readonly #timers: NodeJS.Timeout[];
  #cycle: Promise<void> | undefined;
  #needsAnotherCycle = false;
  #expiryTimer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: SupervisorParts) {
    const { pool, logger, notifications, holder, slots, retryLimits = defaultRetryLimits } = parts;
    this.#logger = logger;
    this.leases = new Leases(pool, holder, parts.silence);
    this.figureWriter = new FigureWriter(pool, holder.id, logger);
    this.#parts = {
      ...parts,
      leases: this.leases,
      figureWriter: this.figureWriter,
      slots: new Slots(slots),
      retryLimits,
    };
    notifications.on('integration', () => this.runCycleSoon());
    notifications.on('wake', (payload) => {
      const { id, wakeUps } = parseWakeUps(payload);
      this.#runners.get(id)?.wake(wakeUps);
    });
    // A renewed lease has the counts of what wakes its run.
    notifications.onMissed(() => this.runCycleSoon());
    this.#timers = [
      setInterval(() => this.runCycleSoon(), renewIntervalMs),
      setInterval(() => void this.leases.extend(), extendIntervalMs),
      setInterval(() => {
        if (this.leases.haveExpired) this.#stopExpired();
      }, expiryCheckIntervalMs),
    ];
    this.runCycleSoon();
  }

  /** Ids of the integrations that run in this process. */
  get running(): readonly string[] {
    return [...this.#runners.values()].filter((runner) => !runner.isStopped).map(({ lease }) => lease.id);
  }

  /** Runs at most one cycle at a time, and one more if a change was notified during it. */
  runCycleSoon(): void {
    if (this.#stopped) return;
    if (this.#cycle) {
      this.#needsAnotherCycle = true;
      return;
    }
    this.#cycle = this.#runCycle()
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the leases could not be renewed'))
      .then(() => {
        this.#cycle = undefined;
        if (!this.#needsAnotherCycle) return;
        this.#needsAnotherCycle = false;
        this.runCycleSoon();
      });
  }

  /**
   * Stops all runs in order and releases the leases, so that other processes can continue at once.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#cycle;
    clearTimeout(this.#expiryTimer);
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    await this.figureWriter.stop();
    // The leases expire by themselves, so a database that does not respond is no reason to fail.
    await this.leases
      .stop()
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the leases could not be released'));
  }

  async #runCycle(): Promise<void> {
    const renewed = await this.leases.renew();
    this.#stopExpired();
    const isEnabled = ({ status }: { readonly status: SyncStatus }) => status === 'Enabled';
    this.#release(renewed.filter((lease) => !isEnabled(lease)));
    const running = renewed.filter((lease) => isEnabled(lease) && this.#runners.get(lease.id)?.isStopped === false);
    for (const lease of running) this.#runners.get(lease.id)?.refresh(lease);
    if (this.#stopped) return;
    await this.leases.freeEnded();
    const { share, nextExpiryMs } = await this.leases.readShare();
    this.#runCycleAtNextExpiry(nextExpiryMs);
    const surplus = running.length - share;
    if (surplus > 0) this.#release(running.slice(-surplus));
    if (surplus < 0) for (const lease of await this.leases.acquire(-surplus)) this.#start(lease);
  }

  /**
   * Takes over from a killed process as soon as its leases expire. A live process has renewed them
   * by then.
   */
  #runCycleAtNextExpiry(inMs: number | null): void {
    clearTimeout(this.#expiryTimer);
    if (inMs !== null && inMs < renewIntervalMs)
      this.#expiryTimer = setTimeout(() => this.runCycleSoon(), Math.ceil(inMs));
  }

  #start(lease: HeldLease): void {
    const earlier = this.#runners.get(lease.id);
    void earlier?.stop();
    const runner = new IntegrationRunner(lease, this.#parts, earlier?.finished);
    this.#runners.set(lease.id, runner);
    void runner.finished.then(() => {
      // It ended on its own, halted or rejected: the next holder gets a new fence.
      if (!runner.isStopped) this.#release([lease]);
      if (this.#runners.get(lease.id) === runner) this.#runners.delete(lease.id);
    });
  }

  /** Stops the runs. Each lease is released after its run has ended. */
  #release(leases: readonly Lease[]): void {
    for (const lease of leases) {
      const runner = this.#runners.get(lease.id);
      if (runner?.isStopped) continue;
      void (runner?.stop() ?? Promise.resolve())
        .then(() => this.leases.release([lease]))
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'a lease could not be released'));
    }
  }

  /**
   * Stops runs whose lease has expired, after a pause or without PostgreSQL: other processes may be
   * running their integrations.
   */
  #stopExpired(): void {
    for (const runner of this.#runners.values()) {
      if (!runner.isStopped && !this.leases.isHeld(runner.lease)) void runner.stop();
    }
  }
}
