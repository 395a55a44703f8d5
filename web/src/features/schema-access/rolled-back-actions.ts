import { problemSchema } from '@portal/contract/problem';
import { CallProblem } from '../../lib/call-problem.ts';

/**
 * The statements that the error of a grant carries: what it consisted of before all of it was
 * rolled back.
 */
export function rolledBackActions(problem: unknown): readonly string[] {
  if (!(problem instanceof CallProblem)) return [];
  const body = problemSchema.safeParse(problem.body);
  return body.success ? (body.data.actions ?? []) : [];
}
