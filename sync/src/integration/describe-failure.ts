import { explainUnusableAddress } from '@portal/kit/postgres/address-problem';
import { isOutage, isPoolExhausted } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import { describeConnectionFailure } from '@portal/platforms/connection-failure';
import pg from 'pg';

/** What operators see of a bug. Its own text may contain secrets, and belongs in the log. */
const unexpected = 'An unexpected error occurred; see the log of the sync service.';

/** Describes any failure in a sentence for operators. */
export function describeFailure(problem: unknown): string {
  return findExplanation(problem) ?? unexpected;
}

/**
 * Describes an expected failure in a sentence for operators. Returns undefined for a bug.
 *
 * @param database the subject of a sentence about the database
 */
export function findExplanation(problem: unknown, database = 'The database'): string | undefined {
  if (problem instanceof Problem) return problem.message;
  const reason = explainUnusableAddress(problem);
  if (reason !== undefined) return `${database} ${reason}.`;
  if (problem instanceof pg.DatabaseError) return `${database} rejected the request: ${problem.message}.`;
  if (isPoolExhausted(problem)) return 'All connections to the database are in use.';
  if (isOutage(problem)) return `${database} cannot be reached: ${describeConnectionFailure(problem)}.`;
  return undefined;
}
