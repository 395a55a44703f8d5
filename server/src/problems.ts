import { Invalid, Problem } from '@portal/kit/problems';

/** A payload that breaks the contract: `fields` says per field what is wrong with it. */
export class InvalidPayload extends Invalid {
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    const faults = Object.entries(fields).map(([field, fault]) => `${field}: ${fault}`);
    super(`The request is not as expected. ${faults.join('; ')}`);
    this.fields = fields;
  }
}

/** Tried too often. */
export class TooMany extends Problem {
  readonly status = 429;
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A part of the portal itself, such as its database, is away for the moment. */
export class Unavailable extends Problem {
  readonly status = 503;
}
