import { hideCredentials } from './hide-addresses.ts';

export interface ProblemOptions {
  readonly title?: string;
  readonly cause?: unknown;
  /** The part of the portal that cannot be reached, in words: `the sync service`. */
  readonly unavailable?: string;
}

/**
 * An expected failure with a message for users. It may be thrown anywhere and is converted into a
 * response at the edges only. Any other error is a bug. The message never has the credentials of an
 * address, even where it quotes another system.
 */
export abstract class Problem extends Error {
  /** HTTP status, used by every edge. */
  abstract readonly status: number;
  readonly title: string | undefined;
  readonly unavailable: string | undefined;

  constructor(message: string, options: ProblemOptions = {}) {
    super(hideCredentials(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.title = options.title;
    this.unavailable = options.unavailable;
  }
}

/** The request is malformed or violates a rule. */
export class Invalid extends Problem {
  readonly status = 400;
}

/** There is no session, or the credentials are wrong. */
export class NotSignedIn extends Problem {
  readonly status = 401;
}

/** The request is valid, but this user may not perform it here and now. */
export class Refused extends Problem {
  readonly status: number = 403;
}

/** The request is based on outdated data. */
export class Conflict extends Refused {
  override readonly status = 409;
}

export class NotFound extends Problem {
  readonly status = 404;
}

/** Too many attempts. */
export class TooMany extends Problem {
  readonly status = 429;
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** All connections or slots for this kind of work are in use. The system itself works. */
export class Busy extends TooMany {}

/** Another system failed: 502 for an invalid response, 504 for a timeout. */
export class Unreachable extends Problem {
  readonly status: 502 | 504;

  constructor(message: string, options: ProblemOptions & { readonly timedOut?: boolean } = {}) {
    super(message, options);
    this.status = options.timedOut ? 504 : 502;
  }
}

interface FailedActionsOptions extends ErrorOptions {
  readonly status: number;
  readonly actions?: readonly string[];
}

/** Several actions that failed, and were all rolled back. */
export class FailedActions extends Problem {
  readonly status: number;
  /** The planned actions; empty if there was no plan. */
  readonly actions: readonly string[];

  constructor(message: string, { status, actions = [], cause }: FailedActionsOptions) {
    super(message, { cause });
    this.status = status;
    this.actions = actions;
  }
}
