/** The inputs of one round of enrollment, and its transactions in the app's schema. */
import type { Enrollment } from '@portal/contract/sync/enrollment';
import { resetAfterUse } from '@portal/kit/postgres/connection-share';
import { inTransaction } from '@portal/kit/postgres/pool';
import { Invalid, type Problem, Unreachable } from '@portal/kit/problems';
import type { JourneyClient } from '@portal/platforms/journey/client';
import pg from 'pg';
import { toRefusal } from '../helium/content-refusal.ts';
import type { Db } from '../helium/helium-gateway.ts';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { RecurringWarnings } from './recurring-warnings.ts';
import type { OnRefused } from './write-cells.ts';

/**
 * Rate-limited by the caller. A round makes one call per page of users, and up to four per request.
 */
export type EnrollmentClient = Pick<
  JourneyClient,
  'list' | 'get' | 'users' | 'user' | 'lockUser' | 'unlockUser' | 'authenticationToken' | 'reAuthenticate' | 'reEnroll'
>;

export interface EnrollmentRound<Mode extends Enrollment = Enrollment> {
  readonly enrollment: Mode;
  /** The key of the integration's state. */
  readonly stateKey: string;
  readonly client: EnrollmentClient;
  readonly pool: pg.Pool;
  readonly catalog: HeliumCatalog;
  readonly heliumToJourneyEnabled: boolean;
  /** The share of rows or users that may be removed without an operator's consent. */
  readonly maxDeletedPercent: number;
  /** Runs work on the database when it is this integration's turn. No slot is held during calls. */
  readonly withSlot?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly now: () => Date;
  /** `key` is a level: INFO, WARNING, SEVERE. */
  readonly log: (key: string, value: string) => void;
  readonly signal: AbortSignal;
  /**
   * Called last in every transaction. Throws when another process has taken over the integration,
   * and keeps one from doing so before the transaction ends.
   */
  readonly checkFence?: (db: Db) => Promise<void>;
  readonly pending: PendingRequests;
  readonly warnings: RecurringWarnings;
}

export interface EnrollmentOutcome {
  /** Users that Journey reported. */
  readonly users: number;
  readonly sessions: number;
  /** Rows that were written because they differed. */
  readonly rows: number;
  /** Rows that could not be written, and removals that wait for an operator. */
  readonly waiting: number;
  /** Executed requests from Helium: re-enrollments, codes, re-authentications, locks. */
  readonly requests: number;
}

/** Logs a row that cannot be written; the next round tries it again. */
export function reportRefused({ log, warnings }: EnrollmentRound, table: string): OnRefused {
  return (id, reason) =>
    warnings.warn(log, `${table} ${id}`, `Enrollment: row ${id} of ${table} was left as it is. ${reason}`);
}

/** Sessions of the app wait for the rows that the transaction has locked. */
const shortLockTimeoutMs = 100;

/**
 * Runs a transaction with the app's schema first in the search path, because its triggers may rely
 * on it. Throws Unreachable when other transactions lock a row or table for too long, Invalid when
 * PostgreSQL rejects the values.
 *
 * @param limitMs at most `lockTimeoutMs`, for a transaction that changes a single row
 */
export async function inAppTransaction<T>(
  round: EnrollmentRound,
  work: (db: Db) => Promise<T>,
  limitMs = shortLockTimeoutMs,
): Promise<T> {
  round.signal.throwIfAborted();
  const { schema } = round.catalog;
  const { withSlot = (run) => run() } = round;
  const transaction = () =>
    inTransaction(round.pool, async (db) => {
      resetAfterUse(db);
      await db.query(`select set_config('search_path', quote_ident($1), true), set_config('lock_timeout', $2, true)`, [
        schema,
        `${limitMs}ms`,
      ]);
      const result = await work(db);
      await round.checkFence?.(db);
      return result;
    });
  try {
    return await withSlot(transaction);
  } catch (error) {
    throw toProblem(error, schema) ?? error;
  }
}

/** Lock not available, deadlock, serialization failure. */
const lockFailure = /^(55P03|40P01|40001)$/;

function toProblem(problem: unknown, schema: string): Problem | undefined {
  if (!(problem instanceof pg.DatabaseError) || problem.code === undefined) return undefined;
  const options = { cause: problem };
  if (lockFailure.test(problem.code))
    return new Unreachable(
      `Other transactions hold locks on rows that enrollment of ${schema} must update. The next round retries.`,
      options,
    );
  if (toRefusal(problem).isTemporary) return undefined;
  return new Invalid(`PostgreSQL rejected the enrollment data: ${problem.message}.`, options);
}
