import { inspect } from 'node:util';
import { JourneyProblem } from './journey-problem.ts';

/**
 * Returns the JourneyProblem a call throws; fails when the call throws nothing or something else.
 */
export async function catchProblem(call: Promise<unknown>): Promise<JourneyProblem> {
  const problem = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof JourneyProblem)) throw new Error(`expected a JourneyProblem, got ${inspect(problem)}`);
  return problem;
}
