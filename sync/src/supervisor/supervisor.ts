/**
 * Runs the integrations of which this process holds the leases. One beat for all, every second and
 * a half, when a lease of another process ends, and whenever somebody tells of a change: renew, see
 * what has changed, give back what is too much, take what is free.
 */
import type { SyncStatus } from '@portal/contract/sync-integration';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Secret } from '@portal/kit/secret';
import type { StoredIntegration } from '../integration/integration.ts';
import type { StartRun } from '../integration/run-host.ts';
import type { Lease } from '../portal-store/leases.store.ts';
import type { LogWriter } from '../portal-store/log-writer.ts';
import type { Notifications } from '../portal-store/notifications.ts';
import type { RetryLimits } from './classify-failure.ts';
import { FigureWriter } from './figure-writer.ts';
import { defaultRetryLimits, IntegrationRunner, type RunnerParts } from './integration-runner.ts';
import { Leases, renewIntervalMs } from './leases.ts';
import { Slots } from './slots.ts';

/** How often it is seen whether a lease has run out while PostgreSQL could not be asked. */
const expiryCheckIntervalMs = 500;

export interface SupervisorParts {
  readonly pool: Pool;
  readonly notifications: Notifications;
  readonly logger: Logger;
  readonly logWriter: LogWriter;
  readonly startRun: StartRun;
  readonly readPassword: (integration: StoredIntegration) => Promise<Secret>;
  /** Differs between all processes there ever are. */
  readonly holder: string;
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
    this.leases = new Leases(pool, holder);
    this.figureWriter = new FigureWriter(pool, holder, logger);
    this.#parts = {
      ...parts,
      leases: this.leases,
      figureWriter: this.figureWriter,
      slots: new Slots(slots),
      retryLimits,
    };
    notifications.on('integration', () => this.runCycleSoon());
    notifications.on('wake', (id) => this.#runners.get(id)?.wake());
    notifications.onReconnect(() => {
      this.runCycleSoon();
      for (const runner of this.#runners.values()) runner.wake();
    });
    this.#timers = [
      setInterval(() => this.runCycleSoon(), renewIntervalMs),
      setInterval(() => this.#stopExpired(), expiryCheckIntervalMs),
    ];
    this.runCycleSoon();
  }

  /** Integrations that are run here now. */
  get running(): readonly string[] {
    return [...this.#runners.values()].filter((runner) => !runner.isStopped).map(({ lease }) => lease.id);
  }

  /** At most one beat at a time, and one more when something was told during it. */
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

  /** Ends all runs in order and gives the leases back, so that others go on at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#cycle;
    clearTimeout(this.#expiryTimer);
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    await this.figureWriter.stop();
    await this.leases.stop();
  }

  async #runCycle(): Promise<void> {
    const renewed = await this.leases.renew();
    this.#stopExpired();
    const isEnabled = ({ status }: { readonly status: SyncStatus }) => status === 'Enabled';
    this.#release(renewed.filter((lease) => !isEnabled(lease)));
    const running = renewed.filter((lease) => isEnabled(lease) && this.#runners.get(lease.id)?.isStopped === false);
    for (const { id, configVersion } of running) this.#runners.get(id)?.refresh(configVersion);
    if (this.#stopped) return;
    const { share, nextExpiryMs } = await this.leases.readShare();
    this.#runCycleAtNextExpiry(nextExpiryMs);
    const surplus = running.length - share;
    if (surplus > 0) this.#release(running.slice(-surplus));
    if (surplus < 0) for (const lease of await this.leases.acquire(-surplus)) this.#start(lease);
  }

  /**
   * A process that was killed is followed at once, not at the next beat; one that lives has renewed
   * by then.
   */
  #runCycleAtNextExpiry(inMs: number | null): void {
    clearTimeout(this.#expiryTimer);
    if (inMs !== null && inMs < renewIntervalMs)
      this.#expiryTimer = setTimeout(() => this.runCycleSoon(), Math.ceil(inMs));
  }

  #start(lease: Lease): void {
    const earlier = this.#runners.get(lease.id);
    void earlier?.stop();
    const runner = new IntegrationRunner(lease, this.#parts, earlier?.finished);
    this.#runners.set(lease.id, runner);
    void runner.finished.then(() => {
      // It ended by itself, halted or refused: whoever takes it next gets a new fence.
      if (!runner.isStopped) this.#release([lease]);
      if (this.#runners.get(lease.id) === runner) this.#runners.delete(lease.id);
    });
  }

  /** Stops their runs; each lease goes back when nothing of its run is left. */
  #release(leases: readonly Lease[]): void {
    for (const lease of leases) {
      const runner = this.#runners.get(lease.id);
      if (runner?.isStopped) continue;
      void (runner?.stop() ?? Promise.resolve())
        .then(() => this.leases.release([lease]))
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'a lease could not be given back'));
    }
  }

  /**
   * Whoever was paused, or cannot reach PostgreSQL, must not go on: others may run its integrations
   * by now.
   */
  #stopExpired(): void {
    for (const runner of this.#runners.values()) {
      if (!runner.isStopped && !this.leases.isHeld(runner.lease)) void runner.stop();
    }
  }
}
