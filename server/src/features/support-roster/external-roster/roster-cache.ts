import { createHash } from 'node:crypto';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { findRoster, type RosterKey, type StoredRoster, saveRoster } from './saved-rosters.store.ts';

/**
 * Saves a team's external roster in the database. It never throws: without the database nothing is
 * loaded or saved, and the failure is logged.
 */
export class RosterCache {
  readonly #pool: Pool;
  readonly #key: RosterKey;
  readonly #logger: Logger;

  /** @param source Identifies the source; only its hash is stored. */
  constructor(pool: Pool, { source, ...key }: { environment: string; team: string; source: string }, logger: Logger) {
    this.#pool = pool;
    this.#key = { ...key, source: createHash('sha256').update(source).digest() };
    this.#logger = logger.child(key);
  }

  /** Returns undefined if nothing is saved or it cannot be read. */
  async load(): Promise<StoredRoster | undefined> {
    try {
      return await findRoster(this.#pool, this.#key);
    } catch (error) {
      this.#logger.warn({ err: error }, 'could not load the saved support roster');
      return undefined;
    }
  }

  async save(roster: StoredRoster): Promise<void> {
    try {
      await saveRoster(this.#pool, this.#key, roster);
    } catch (error) {
      this.#logger.warn({ err: error }, 'could not save the support roster');
    }
  }
}
