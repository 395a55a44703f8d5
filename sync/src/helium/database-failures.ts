/** Trouble with the Helium database that is neither a bug nor the record's fault. */
import pg from 'pg';

/** Deadlocks, lost races, and locks of an app's own transaction that were waited for in vain. */
const contention = new Set(['40001', '40P01', '55P03', '57014']);
const readOnly = '25006';

/** Whether the same may go when others have done their work. */
export function isContention(problem: unknown): problem is pg.DatabaseError {
  return problem instanceof pg.DatabaseError && contention.has(problem.code ?? '');
}

/** Whether the server takes no writes for now: a standby, or one that somebody has closed. */
export function isReadOnly(problem: unknown): boolean {
  return problem instanceof pg.DatabaseError && problem.code === readOnly;
}
