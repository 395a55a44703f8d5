import { describeFaults, maxFaults } from '@portal/kit/describe-faults';
import { Invalid, Problem } from '@portal/kit/problems';

/**
 * A payload that violates the contract; `fields` contains an error per field, for the first of
 * many.
 */
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

/** A part of the portal itself, such as its database, is temporarily unavailable. */
export class Unavailable extends Problem {
  readonly status = 503;
}
