import { parts } from '@portal/contract/problem';
import { explainRefusedChange, isOutage, isPoolExhausted } from '@portal/kit/postgres/pool';
import { Busy, FailedActions, Problem, TooMany, Unreachable } from '@portal/kit/problems';
import { InvalidPayload, Unavailable } from './problems.ts';

/** PostgreSQL's error code of a statement timeout. */
const queryCanceled = '57014';
const busyRetrySeconds = 2;

/** The words in which a service reports problems of its own. */
export interface ServiceWords {
  /** At the start of a sentence: "The portal". */
  readonly name: string;
  /** The database whose statements may take too long: "The portal's database". */
  readonly database: string;
  /** Where operators find the details of an error: "the log". */
  readonly log: string;
  /** Converts errors of the service's domain to problems; returns all others unchanged. */
  readonly translate?: (error: unknown) => unknown;
}

/** The description of an error for callers. */
export interface ProblemDescription {
  readonly status: number;
  /** Replaces the kind of the status. */
  readonly kind?: string;
  readonly message: string;
  readonly title?: string | undefined;
  readonly fields?: Readonly<Record<string, string>>;
  readonly actions?: readonly string[];
  readonly unavailable?: string | undefined;
  readonly retryAfterSeconds?: number;
}

/**
 * Describes a thrown value to callers. Any error that is not expected is a bug: its status is 500,
 * and its details belong in the log.
 */
export function describeProblem(thrown: unknown, words: ServiceWords): ProblemDescription {
  const error = words.translate?.(thrown) ?? thrown;
  const problem = error instanceof Problem ? error : toProblem(error, words);
  if (!problem) return { status: 500, message: `Internal error. Search ${words.log} for the request id.` };
  const { status, message, title, unavailable } = problem;
  return {
    status,
    message,
    title,
    unavailable,
    ...(problem instanceof TooMany && { retryAfterSeconds: problem.retryAfterSeconds }),
    ...(problem instanceof Busy && { kind: 'busy' }),
    ...(problem instanceof InvalidPayload && { fields: problem.fields }),
    ...(problem instanceof FailedActions && { actions: problem.actions }),
  };
}

/** Recognizes the failures of the portal's database. */
function toProblem(error: unknown, { name, database }: ServiceWords): Problem | null {
  if (isPoolExhausted(error)) return new Busy(`${name} is busy. Try again in a few seconds.`, busyRetrySeconds);
  if (isOutage(error))
    return new Unavailable("The portal's database is unavailable. Try again in a moment.", {
      unavailable: parts.database,
    });
  const refusal = explainRefusedChange(error);
  if (refusal !== undefined)
    return new Unavailable(`The portal's database accepts no changes at the moment (${refusal}).`);
  if (error instanceof Error && 'code' in error && error.code === queryCanceled)
    return new Unreachable(`${database} took too long. Request less data, or try again.`, { timedOut: true });
  return null;
}
