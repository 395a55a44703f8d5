import type { ConfigProblem } from '@portal/contract/sync/config';
import { InvalidPayload } from '@portal/edge/problems';
import { describeFaults, maxFaults } from '@portal/kit/describe-faults';

/** A request with invalid fields, each with every reason. */
export class InvalidFields extends InvalidPayload {
  readonly problems: readonly ConfigProblem[];

  /** Reports the first of many problems. */
  constructor(problems: readonly ConfigProblem[]) {
    const fields: Record<string, string> = {};
    for (const { field, reason } of problems) fields[field] ??= reason;
    super(fields, describeFaults(problems));
    this.problems = problems.slice(0, maxFaults);
  }
}
