import { isOutage } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import pg from 'pg';

/** A sentence for people. Throws what is a bug. */
export function explainFailure(problem: unknown): string {
  if (problem instanceof Problem) return problem.message;
  if (problem instanceof pg.DatabaseError) return `The database refuses it: ${problem.message}.`;
  if (isOutage(problem)) return 'The database cannot be reached.';
  throw problem;
}
