import { createHash } from 'node:crypto';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { findRoster, type RosterPlace, type StoredRoster, saveRoster } from './saved-rosters.store.ts';

/**
 * What the database keeps of a team's roster from elsewhere. A roster is worth more than its copy:
 * without the database nothing is recalled and nothing is kept, and the log says so.
 */
export class RosterMemory {
  readonly #pool: Pool;
  readonly #place: RosterPlace;
  readonly #logger: Logger;

  /** @param source Where the roster comes from; only its hash is kept. */
  constructor(pool: Pool, { source, ...place }: { environment: string; team: string; source: string }, logger: Logger) {
    this.#pool = pool;
    this.#place = { ...place, source: createHash('sha256').update(source).digest() };
    this.#logger = logger.child(place);
  }

  /** Undefined where nothing is kept, or it cannot be told. */
  async recall(): Promise<StoredRoster | undefined> {
    try {
      return await findRoster(this.#pool, this.#place);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the support roster that was read last cannot be recalled');
      return undefined;
    }
  }

  async keep(roster: StoredRoster): Promise<void> {
    try {
      await saveRoster(this.#pool, this.#place, roster);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the support roster that was read cannot be kept');
    }
  }
}
