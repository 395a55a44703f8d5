import { describeFaults, maxFaults } from '@portal/kit/describe-faults';
import { Invalid, Problem, type ProblemOptions } from '@portal/kit/problems';

/** A payload that violates the contract; `fields` contains an error per field, for the first of many. */
export class InvalidPayload extends Invalid {
  readonly fields: Readonly<Record<string, string>>;

  /** `message` replaces the list of errors. */
  constructor(fields: Readonly<Record<string, string>>, message?: string) {
    const faults = Object.entries(fields).map(([field, reason]) => ({ field, reason }));
    super(message ?? `The request is invalid. ${describeFaults(faults)}`);
    this.fields = Object.fromEntries(faults.slice(0, maxFaults).map(({ field, reason }) => [field, reason]));
  }
}

/** A body that exceeds the limit for its endpoint and caller. */
export class TooLarge extends Problem {
  readonly status = 413;

  constructor(maxBytes: number) {
    const limit = maxBytes < 1024 * 1024 ? `${maxBytes / 1024} kB` : `${maxBytes / 1024 / 1024} MB`;
    super(`The request is too large. The limit is ${limit}.`);
  }
}

/** Several actions that failed and were all rolled back. */
export class FailedActions extends Problem {
  readonly status: number;
  /** The attempted actions. */
  readonly actions: readonly string[];

  constructor(
    message: string,
    options: ProblemOptions & { readonly status: number; readonly actions: readonly string[] },
  ) {
    super(message, options);
    this.status = options.status;
    this.actions = options.actions;
  }
}

/** A part of the portal itself, such as its database, is temporarily unavailable. */
export class Unavailable extends Problem {
  readonly status = 503;
}
