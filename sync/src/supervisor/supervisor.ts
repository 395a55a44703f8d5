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
import type { StartRun } from '../integration/run.ts';
import type { Lease } from '../portal-store/leases.store.ts';
import type { LogWriter } from '../portal-store/log-writer.ts';
import type { Notifications } from '../portal-store/notifications.ts';
import type { Patience } from './classify-failure.ts';
import { FigureWriter } from './figure-writer.ts';
import { IntegrationRunner, type RunnerParts, usualPatience } from './integration-runner.ts';
import { Leases, renewEveryMs } from './leases.ts';
import { Slots } from './slots.ts';

/** How often it is seen whether a lease has run out while PostgreSQL could not be asked. */
const watchEveryMs = 500;

export interface SupervisorParts {
  readonly pool: Pool;
  readonly notifications: Notifications;
  readonly logger: Logger;
  readonly lines: LogWriter;
  readonly startRun: StartRun;
  readonly readPassword: (integration: StoredIntegration) => Promise<Secret>;
  /** Differs between all processes there ever are. */
  readonly holder: string;
  readonly slots: number;
  readonly patience?: Patience;
}

export class Supervisor {
  readonly leases: Leases;
  readonly board: FigureWriter;
  readonly #parts: RunnerParts;
  readonly #logger: Logger;
  readonly #runners = new Map<string, IntegrationRunner>();
  readonly #timers: NodeJS.Timeout[];
  #beating: Promise<void> | undefined;
  #beatAgain = false;
  #othersEnd: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: SupervisorParts) {
    const { pool, logger, notifications, holder, slots, patience = usualPatience } = parts;
    this.#logger = logger;
    this.leases = new Leases(pool, holder);
    this.board = new FigureWriter(pool, holder, logger);
    this.#parts = { ...parts, leases: this.leases, board: this.board, slots: new Slots(slots), patience };
    notifications.on('integration', () => this.beatSoon());
    notifications.on('nudge', (id) => this.#runners.get(id)?.nudge());
    notifications.onAgain(() => {
      this.beatSoon();
      for (const runner of this.#runners.values()) runner.nudge();
    });
    this.#timers = [
      setInterval(() => this.beatSoon(), renewEveryMs),
      setInterval(() => this.#dropLapsed(), watchEveryMs),
    ];
    this.beatSoon();
  }

  /** Integrations that are run here now. */
  get running(): readonly string[] {
    return [...this.#runners.values()].filter((runner) => !runner.isStopped).map(({ lease }) => lease.id);
  }

  /** At most one beat at a time, and one more when something was told during it. */
  beatSoon(): void {
    if (this.#stopped) return;
    if (this.#beating) {
      this.#beatAgain = true;
      return;
    }
    this.#beating = this.#beat()
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the leases could not be renewed'))
      .then(() => {
        this.#beating = undefined;
        if (!this.#beatAgain) return;
        this.#beatAgain = false;
        this.beatSoon();
      });
  }

  /** Ends all runs in order and gives the leases back, so that others go on at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#beating;
    clearTimeout(this.#othersEnd);
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    await this.board.stop();
    await this.leases.stop();
  }

  async #beat(): Promise<void> {
    const renewed = await this.leases.renew();
    this.#dropLapsed();
    const isWanted = ({ status }: { readonly status: SyncStatus }) => status === 'Enabled';
    this.#giveBack(renewed.filter((lease) => !isWanted(lease)));
    const kept = renewed.filter((lease) => isWanted(lease) && this.#runners.get(lease.id)?.isStopped === false);
    for (const { id, configVersion } of kept) this.#runners.get(id)?.refresh(configVersion);
    if (this.#stopped) return;
    const { share, othersEndInMs } = await this.leases.share();
    this.#beatWhenOthersEnd(othersEndInMs);
    const surplus = kept.length - share;
    if (surplus > 0) this.#giveBack(kept.slice(-surplus));
    if (surplus < 0) for (const lease of await this.leases.take(-surplus)) this.#start(lease);
  }

  /**
   * A process that was killed is followed at once, not at the next beat; one that lives has renewed
   * by then.
   */
  #beatWhenOthersEnd(inMs: number | null): void {
    clearTimeout(this.#othersEnd);
    if (inMs !== null && inMs < renewEveryMs) this.#othersEnd = setTimeout(() => this.beatSoon(), Math.ceil(inMs));
  }

  #start(lease: Lease): void {
    const earlier = this.#runners.get(lease.id);
    void earlier?.stop();
    const runner = new IntegrationRunner(lease, this.#parts, earlier?.ended);
    this.#runners.set(lease.id, runner);
    void runner.ended.then(() => {
      // It ended by itself, halted or refused: whoever takes it next gets a new fence.
      if (!runner.isStopped) this.#giveBack([lease]);
      if (this.#runners.get(lease.id) === runner) this.#runners.delete(lease.id);
    });
  }

  /** Stops their runs; each lease goes back when nothing of its run is left. */
  #giveBack(leases: readonly Lease[]): void {
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
  #dropLapsed(): void {
    for (const runner of this.#runners.values()) {
      if (!runner.isStopped && !this.leases.isHeld(runner.lease)) void runner.stop();
    }
  }
}
