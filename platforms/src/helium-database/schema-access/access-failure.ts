import { Problem } from '@portal/kit/problems';

/** Access could not be granted or taken back, and nothing of it remains. */
export class AccessFailure extends Problem {
  readonly status: number;
  /** All that was to run; empty when it never came to that. */
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
