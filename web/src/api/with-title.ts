import { CallProblem } from './call-problem.ts';

/** Returns a CallProblem with the specified title. Returns other errors unchanged. */
export function withTitle(title: string, problem: unknown): unknown {
  return problem instanceof CallProblem ? new CallProblem({ ...problem, message: problem.message, title }) : problem;
}
