/** Classifies failures of the Helium database that are neither bugs nor caused by the record. */
import pg from 'pg';

/**
 * Deadlocks, serialization failures, timeouts while waiting for locks of the app's transactions,
 * and transactions that were idle for too long because this process did not get to work.
 */
const contention = new Set(['40001', '40P01', '55P03', '57014', '25P03']);

/** Returns whether the same statement may succeed after other transactions finish. */
export function isContention(problem: unknown): problem is pg.DatabaseError {
  return problem instanceof pg.DatabaseError && contention.has(problem.code ?? '');
}
