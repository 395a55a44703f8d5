/** The parts of one round of enrollment, and its transactions in the app's schema. */
import type { Enrollment } from '@portal/contract/sync-enrollment';
import { inTransaction } from '@portal/kit/postgres/pool';
import { Invalid, type Problem, Unreachable } from '@portal/kit/problems';
import type { JourneyClient } from '@portal/platforms/journey/client';
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';

/** Paced by the caller: a round makes a call per page of users, and one or two per request. */
export type EnrollmentClient = Pick<
  JourneyClient,
  'list' | 'users' | 'user' | 'lockUser' | 'unlockUser' | 'authenticationToken' | 'reAuthenticate' | 'reEnroll'
>;

export interface EnrollmentRound<Mode extends Enrollment = Enrollment> {
  readonly enrollment: Mode;
  /** The integration's key in the state. */
  readonly stateKey: string;
  readonly client: EnrollmentClient;
  readonly pool: pg.Pool;
  readonly catalog: HeliumCatalog;
  readonly heliumToJourneyEnabled: boolean;
  readonly now: () => Date;
  /** `key` is a level: INFO, WARNING, SEVERE. */
  readonly log: (key: string, value: string) => void;
  readonly signal: AbortSignal;
  /**
   * Called first in every transaction; throws when another process has taken the integration over.
   */
  readonly checkFence?: (db: Db) => Promise<void>;
  /** How long to wait for a locked row; 5 s by default. */
  readonly lockTimeoutMs?: number;
}

export interface EnrollmentOutcome {
  /** Users that Journey reported. */
  readonly users: number;
  readonly sessions: number;
  /** Rows that were written because they differed. */
  readonly rows: number;
  /** Requests of Helium that were carried out: re-enrollments, codes, re-authentications, locks. */
  readonly requests: number;
}

/** An app's long transaction must not hold up the rounds behind this one. */
const lockTimeoutMs = 5_000;

/**
 * Runs a transaction with the app's schema first in the search path, which its triggers may rely
 * on. Throws Unreachable when others lock the rows for too long, Invalid when PostgreSQL refuses
 * the values.
 */
export async function inAppTransaction<T>(round: EnrollmentRound, work: (db: Db) => Promise<T>): Promise<T> {
  round.signal.throwIfAborted();
  const { schema } = round.catalog;
  try {
    return await inTransaction(round.pool, async (db) => {
      await db.query(`select set_config('search_path', quote_ident($1), true), set_config('lock_timeout', $2, true)`, [
        schema,
        `${round.lockTimeoutMs ?? lockTimeoutMs}ms`,
      ]);
      await round.checkFence?.(db);
      return work(db);
    });
  } catch (error) {
    throw explained(error, schema) ?? error;
  }
}

/** Lock not available, deadlock, serialization failure. */
const held = /^(55P03|40P01|40001)$/;
/** A value or a constraint forbids it, or the schema has changed. */
const refused = /^(22|23|42)...$/;

function explained(problem: unknown, schema: string): Problem | undefined {
  if (!(problem instanceof pg.DatabaseError) || problem.code === undefined) return undefined;
  const options = { cause: problem };
  if (held.test(problem.code))
    return new Unreachable(`Others hold rows of ${schema} that enrollment was to write.`, options);
  if (refused.test(problem.code)) return new Invalid(`PostgreSQL refuses enrollment: ${problem.message}.`, options);
  return undefined;
}
