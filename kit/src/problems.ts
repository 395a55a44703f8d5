/**
 * What can go wrong that people should hear about. Thrown anywhere, turned into an answer at the
 * edges only; any other error is a bug. The message is for people.
 */
export interface ProblemOptions {
  readonly title?: string;
  readonly cause?: unknown;
}

export abstract class Problem extends Error {
  /** HTTP status, understood by every edge. */
  abstract readonly status: number;
  readonly title: string | undefined;

  constructor(message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.title = options.title;
  }
}

/** What was sent cannot be understood or breaks a rule. */
export class Invalid extends Problem {
  readonly status = 400;
}

/** Nobody is signed in, or the credentials are wrong. */
export class NotSignedIn extends Problem {
  readonly status = 401;
}

/** Understood, and not allowed to this person, here, now. */
export class Refused extends Problem {
  readonly status: number = 403;
}

/** Refused because things have changed since the sender looked. */
export class Conflict extends Refused {
  override readonly status = 409;
}

export class NotFound extends Problem {
  readonly status = 404;
}

/** Attempted too often. */
export class TooMany extends Problem {
  readonly status = 429;
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Another system did not answer as it should; in time, but wrongly: 502, or not in time: 504. */
export class Unreachable extends Problem {
  readonly status: 502 | 504;

  constructor(message: string, options: ProblemOptions & { readonly timedOut?: boolean } = {}) {
    super(message, options);
    this.status = options.timedOut ? 504 : 502;
  }
}
