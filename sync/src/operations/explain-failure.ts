import { findExplanation } from '../integration/describe-failure.ts';

/**
 * Describes a failure in a sentence for operators. Rethrows errors that are bugs.
 *
 * @param database the subject of a sentence about the database
 */
export function explainFailure(problem: unknown, database?: string): string {
  const explanation = findExplanation(problem, database);
  if (explanation === undefined) throw problem;
  return explanation;
}
