import { Invalid, Problem, type ProblemOptions } from '@portal/kit/problems';

/** A payload that violates the contract; `fields` contains an error per field. */
export class InvalidPayload extends Invalid {
  readonly fields: Readonly<Record<string, string>>;

  /** `message` replaces the list of errors. */
  constructor(fields: Readonly<Record<string, string>>, message?: string) {
    const faults = Object.entries(fields).map(([field, fault]) => `${field}: ${fault}`);
    super(message ?? `The request is invalid. ${faults.join('; ')}`);
    this.fields = fields;
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
