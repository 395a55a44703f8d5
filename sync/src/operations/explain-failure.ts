import { isOutage, isPoolExhausted } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import pg from 'pg';

/** Describes a failure in a sentence for operators. Rethrows errors that are bugs. */
export function explainFailure(problem: unknown): string {
  if (problem instanceof Problem) return problem.message;
  if (problem instanceof pg.DatabaseError) return `The database rejected the request: ${problem.message}.`;
  if (isPoolExhausted(problem)) return 'All connections to the database are in use.';
  if (isOutage(problem)) return 'The database cannot be reached.';
  throw problem;
}
