import { explainUnusableAddress } from '@portal/kit/postgres/address-problem';
import { isOutage, isPoolExhausted } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import pg from 'pg';

/**
 * Describes a failure in a sentence for operators. Rethrows errors that are bugs.
 *
 * @param database the subject of a sentence about the database
 */
export function explainFailure(problem: unknown, database = 'The database'): string {
  if (problem instanceof Problem) return problem.message;
  const reason = explainUnusableAddress(problem);
  if (reason !== undefined) return `${database} ${reason}.`;
  if (problem instanceof pg.DatabaseError) return `${database} rejected the request: ${problem.message}.`;
  if (isPoolExhausted(problem)) return 'All connections to the database are in use.';
  if (isOutage(problem)) return `${database} cannot be reached.`;
  throw problem;
}
