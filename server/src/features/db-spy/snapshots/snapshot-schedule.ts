import type { Logger } from '@portal/kit/logger';
import { isTemporary, type Pool } from '@portal/kit/postgres/pool';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { AppDatabases } from '../../../platform/app-databases.ts';
import type { Environments } from '../../../platform/environments.ts';
import { claimSnapshot, noteView, type Source, thinSnapshots } from './snapshots.store.ts';
import { takeSnapshot } from './take-snapshot.ts';

const tickMs = 60_000;
/** Minimum interval between recorded views. */
const viewIntervalMs = 60_000;

export interface SnapshotScheduleOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly environments: Environments;
  readonly appDatabases: AppDatabases;
  readonly now?: () => Date;
}

/**
 * Takes snapshots of every data source: hourly, or every five minutes while the statistics are
 * being viewed. Any number of nodes may run it; only one takes each snapshot. It checks once a
 * minute, so a failed snapshot is retried a minute later.
 */
export class SnapshotSchedule {
  readonly #options: SnapshotScheduleOptions;
  readonly #now: () => Date;
  readonly #viewedAt = new Map<string, number>();
  /**
   * Data sources whose last snapshot failed. Only the first failure and the recovery are logged.
   */
  readonly #failing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: SnapshotScheduleOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.#running = Promise.all([this.#running, this.tick()]);
    }, tickMs).unref();
  }

  /** Waits for running snapshots. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Takes all snapshots that are due, in parallel. */
  async tick(): Promise<void> {
    const { environments, appDatabases } = this.#options;
    await Promise.all(
      environments.all.flatMap((environment) =>
        appDatabases
          .all(environment)
          .map((database) => this.#takeDue({ environment: environment.name, dataSource: database.name }, database)),
      ),
    );
  }

  /**
   * Records that a user is viewing these statistics. Never throws, because failing to record a view
   * must not fail the request.
   */
  async noteView(source: Source): Promise<void> {
    const { pool, logger } = this.#options;
    const now = this.#now();
    const key = toKey(source);
    if (now.getTime() - (this.#viewedAt.get(key) ?? 0) < viewIntervalMs) return;
    this.#viewedAt.set(key, now.getTime());
    await noteView(pool, source, now).catch((error: unknown) => {
      logger.warn({ ...source, err: error }, 'could not save that statistics are being viewed');
    });
  }

  async #takeDue(source: Source, database: HeliumDatabase): Promise<void> {
    const { pool, logger } = this.#options;
    const now = this.#now();
    const key = toKey(source);
    try {
      if (!(await claimSnapshot(pool, source, now))) return;
      await takeSnapshot(pool, source, database, { kind: 'scheduled', takenAt: now });
      await thinSnapshots(pool, source, now);
      if (this.#failing.delete(key)) logger.info(source, 'statistics snapshots work again');
    } catch (error) {
      // A failure of the portal's own database is logged elsewhere.
      if (isTemporary(error) || this.#failing.has(key)) return;
      this.#failing.add(key);
      logger.warn({ ...source, err: error }, 'could not take a statistics snapshot; retrying every minute');
    }
  }
}

function toKey({ environment, dataSource }: Source): string {
  return JSON.stringify([environment, dataSource]);
}
