import { Invalid, Problem, type ProblemOptions } from '@portal/kit/problems';

/** A payload that breaks the contract: `fields` says per field what is wrong with it. */
export class InvalidPayload extends Invalid {
  readonly fields: Readonly<Record<string, string>>;

  /** `message` stands for the list of all that is wrong, where one sentence says it. */
  constructor(fields: Readonly<Record<string, string>>, message?: string) {
    const faults = Object.entries(fields).map(([field, fault]) => `${field}: ${fault}`);
    super(message ?? `The request is not as expected. ${faults.join('; ')}`);
    this.fields = fields;
  }
}

/** Something that was to be done in several actions, of which none remains. */
export class FailedActions extends Problem {
  readonly status: number;
  /** All that was to be done. */
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

/** A part of the portal itself, such as its database, is away for the moment. */
export class Unavailable extends Problem {
  readonly status = 503;
}
