import { CallProblem } from './call-problem.ts';

/**
 * The problem under the title the specification gives it; whatever is no CallProblem stays as it
 * is.
 */
export function titled(title: string, problem: unknown): unknown {
  return problem instanceof CallProblem ? new CallProblem({ ...problem, message: problem.message, title }) : problem;
}
