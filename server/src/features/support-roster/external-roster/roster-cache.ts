import { createHash } from 'node:crypto';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { findRoster, type RosterKey, type StoredRoster, saveRoster } from './saved-rosters.store.ts';

/**
 * What the database keeps of a team's roster from elsewhere. A roster is worth more than its copy:
 * without the database nothing is recalled and nothing is kept, and the log says so.
 */
export class RosterCache {
  readonly #pool: Pool;
  readonly #key: RosterKey;
  readonly #logger: Logger;

  /** @param source Where the roster comes from; only its hash is kept. */
  constructor(pool: Pool, { source, ...key }: { environment: string; team: string; source: string }, logger: Logger) {
    this.#pool = pool;
    this.#key = { ...key, source: createHash('sha256').update(source).digest() };
    this.#logger = logger.child(key);
  }

  /** Undefined where nothing is kept, or it cannot be told. */
  async load(): Promise<StoredRoster | undefined> {
    try {
      return await findRoster(this.#pool, this.#key);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the support roster that was read last cannot be recalled');
      return undefined;
    }
  }

  async save(roster: StoredRoster): Promise<void> {
    try {
      await saveRoster(this.#pool, this.#key, roster);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the support roster that was read cannot be kept');
    }
  }
}
