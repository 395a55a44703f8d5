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

/**
 * Returns whether PostgreSQL's own files failed it (class 58), such as a library that is being
 * replaced: an administrator repairs that, and no record is at fault.
 */
export function isServerFault({ code = '' }: pg.DatabaseError): boolean {
  return code.startsWith('58');
}
