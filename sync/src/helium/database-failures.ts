/** Classifies failures of the Helium database that are neither bugs nor caused by the record. */
import pg from 'pg';

/**
 * Deadlocks, serialization failures, and timeouts while waiting for locks of the app's
 * transactions.
 */
const contention = new Set(['40001', '40P01', '55P03', '57014']);
const readOnly = '25006';

/** Returns whether the same statement may succeed after other transactions finish. */
export function isContention(problem: unknown): problem is pg.DatabaseError {
  return problem instanceof pg.DatabaseError && contention.has(problem.code ?? '');
}

/** Returns whether the server is currently read-only: a standby, or set so by an administrator. */
export function isReadOnly(problem: unknown): boolean {
  return problem instanceof pg.DatabaseError && problem.code === readOnly;
}
