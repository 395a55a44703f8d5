import type { Logger } from '@portal/kit/logger';
import { isOutage, type Pool } from '@portal/kit/postgres/pool';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { AppDatabases } from '../../../platform/app-databases.ts';
import type { Environments } from '../../../platform/environments.ts';
import { claimSnapshot, noteLook, type Source, thinSnapshots } from './snapshots.store.ts';
import { takeSnapshot } from './take-snapshot.ts';

const tickMs = 60_000;
/** Looks are written down at most so often: only five minutes matter. */
const lookMs = 60_000;

export interface SnapshotScheduleOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly environments: Environments;
  readonly appDatabases: AppDatabases;
  readonly now?: () => Date;
}

/**
 * Takes snapshots of every data source when they are due: hourly, every five minutes while somebody
 * looks. Any number of nodes may run it; one of them takes each. It looks once a minute, so one
 * that failed is tried again a minute later.
 */
export class SnapshotSchedule {
  readonly #options: SnapshotScheduleOptions;
  readonly #now: () => Date;
  readonly #lookedAt = new Map<string, number>();
  /** Those that failed the last time: told when it begins and when it ends, not each minute. */
  readonly #failing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(options: SnapshotScheduleOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.#underWay = Promise.all([this.#underWay, this.tick()]);
    }, tickMs).unref();
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }

  /** Takes what is due, all data sources side by side. */
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

  /** Somebody looks at these statistics. Never throws: a look is not worth an answer. */
  async noteLook(source: Source): Promise<void> {
    const { pool, logger } = this.#options;
    const now = this.#now();
    const key = keyOf(source);
    if (now.getTime() - (this.#lookedAt.get(key) ?? 0) < lookMs) return;
    this.#lookedAt.set(key, now.getTime());
    await noteLook(pool, source, now).catch((error: unknown) => {
      logger.warn({ ...source, err: error }, 'it could not be noted that somebody looks at statistics');
    });
  }

  async #takeDue(source: Source, database: HeliumDatabase): Promise<void> {
    const { pool, logger } = this.#options;
    const now = this.#now();
    const key = keyOf(source);
    try {
      if (!(await claimSnapshot(pool, source, now))) return;
      await takeSnapshot(pool, source, database, { kind: 'scheduled', takenAt: now });
      await thinSnapshots(pool, source, now);
      if (this.#failing.delete(key)) logger.info(source, 'snapshots of statistics are taken again');
    } catch (error) {
      // The portal's own database is told of elsewhere, and once.
      if (isOutage(error) || this.#failing.has(key)) return;
      this.#failing.add(key);
      logger.warn({ ...source, err: error }, 'a snapshot of statistics could not be taken; it is tried each minute');
    }
  }
}

function keyOf({ environment, dataSource }: Source): string {
  return JSON.stringify([environment, dataSource]);
}
