import { parts } from '@portal/contract/problem';
import { Problem } from '@portal/kit/problems';

/** What must be recorded cannot be recorded at the moment. */
export class TrailUnavailable extends Problem {
  readonly status = 503;

  constructor(message: string, cause?: unknown) {
    super(`${message} Try again in a minute.`, { cause, unavailable: parts.database });
  }
}
