import { Problem } from '@portal/kit/problems';

/** Access could not be granted or revoked, and everything was rolled back. */
export class AccessFailure extends Problem {
  readonly status: number;
  /** All statements of the plan; empty when no plan was made. */
  readonly actions: readonly string[];

  constructor(
    message: string,
    { status, actions = [], cause }: { status: number; actions?: readonly string[]; cause?: unknown },
  ) {
    super(message, { cause });
    this.status = status;
    this.actions = actions;
  }
}
