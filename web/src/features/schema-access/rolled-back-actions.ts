import { problemSchema } from '@portal/contract/problem';
import { CallProblem } from '../../api/call-problem.ts';

/** Returns the statements in the error of a failed grant, all of which were rolled back. */
export function rolledBackActions(problem: unknown): readonly string[] {
  if (!(problem instanceof CallProblem)) return [];
  const body = problemSchema.safeParse(problem.body);
  return body.success ? (body.data.actions ?? []) : [];
}
