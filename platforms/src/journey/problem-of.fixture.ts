import { inspect } from 'node:util';
import { JourneyProblem } from './journey-problem.ts';

/** What the call throws; an error when it is anything but a `JourneyProblem`. */
export async function problemOf(call: Promise<unknown>): Promise<JourneyProblem> {
  const problem = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof JourneyProblem)) throw new Error(`expected a JourneyProblem, not ${inspect(problem)}`);
  return problem;
}
