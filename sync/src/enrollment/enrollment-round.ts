/** What one round of enrollment is given, and how it touches the app's schema. */
import type { Enrollment } from '@portal/contract/sync-enrollment';
import { inTransaction } from '@portal/kit/postgres/pool';
import type { JourneyClient } from '@portal/platforms/journey/client';
import type pg from 'pg';
import type { Catalogue } from '../helium/catalogue.ts';
import type { Db } from '../helium/helium-end.ts';

/** Paced by whoever hands it in: a round makes a call per page of users, and one or two per request. */
export type EnrollmentClient = Pick<
  JourneyClient,
  'list' | 'users' | 'user' | 'lockUser' | 'unlockUser' | 'authenticationToken' | 'reAuthenticate' | 'reEnroll'
>;

export interface EnrollmentRound<Mode extends Enrollment = Enrollment> {
  readonly enrollment: Mode;
  /** Of the Helium app. */
  readonly appId: string;
  readonly client: EnrollmentClient;
  readonly pool: pg.Pool;
  readonly catalogue: Catalogue;
  readonly heliumToJourneyEnabled: boolean;
  readonly now: () => Date;
  /** `key` is a level: INFO, WARNING, SEVERE. */
  readonly log: (key: string, value: string) => void;
  readonly signal: AbortSignal;
  /** Called first in every transaction; throws when another process has taken the integration over. */
  readonly checkFence?: (db: Db) => Promise<void>;
}

export interface EnrollmentOutcome {
  /** Users Journey told of. */
  readonly users: number;
  readonly sessions: number;
  /** Rows that were written because they differed. */
  readonly rows: number;
  /** Wishes of Helium's that were carried out: re-enrollments, codes, re-authentications, locks. */
  readonly requests: number;
}

/** Waited for at most: an app's long transaction must not hold up the rounds behind this one. */
const LOCK_TIMEOUT = '5s';

/** With the app's schema first in the search path, which its triggers may rely on. */
export function inAppTransaction<T>(round: EnrollmentRound, work: (db: Db) => Promise<T>): Promise<T> {
  round.signal.throwIfAborted();
  return inTransaction(round.pool, async (db) => {
    await db.query(`select set_config('search_path', quote_ident($1), true), set_config('lock_timeout', $2, true)`, [
      round.catalogue.schema,
      LOCK_TIMEOUT,
    ]);
    await round.checkFence?.(db);
    return work(db);
  });
}
