import type { OpLogPoint } from '../../journey/journey-gateway.ts';
import type { CurrentMapping } from '../state/current-mapping.ts';
import type { DueCheck } from '../state/due-check.ts';
import type { PendingEchoes } from '../state/echoes.ts';
import type { LookUpQueue } from '../state/look-ups.ts';
import type { Progress } from '../state/progress.ts';
import type { RefreshQueue } from '../state/refresh-queue.ts';
import type { Run } from '../state/run.ts';
import type { Tally } from '../state/tally.ts';
import type { AnnouncedChanges } from './pace/announced-changes.ts';
import type { Loops } from './pace/loops.ts';
import type { RetryPolicy } from './pace/retry-policy.ts';
import type { Timing } from './pace/timing.ts';

/** The parts of a run that its loops share. A function names those that it uses. */
export interface RunParts {
  readonly loops: Loops;
  readonly mapping: CurrentMapping;
  readonly progress: Progress;
  readonly echoes: PendingEchoes;
  readonly tally: Tally;
  readonly announced: AnnouncedChanges;
  readonly refreshQueue: RefreshQueue;
  readonly lookUps: LookUpQueue;
  /** Compares Helium's data model with the mapping at the next poll of the op-log. */
  readonly catalogCheck: DueCheck;
  /** Checks Helium before the loop to Journey sleeps. */
  readonly heliumCheck: DueCheck;
  /** What follows when Journey fails, by direction. */
  readonly retries: { readonly toJourney: RetryPolicy; readonly toHelium: RetryPolicy };
  readonly timing: Timing;
  /** Returns in how many milliseconds this idle integration may be polled next. */
  readonly reserveIdlePoll: () => number;
  /**
   * Plans to read all objects of the side that this direction comes from; with a point, after what
   * is left of the op-log behind it.
   */
  readonly readAgain: (direction: 'toHelium' | 'toJourney', opLogPoint?: OpLogPoint | null) => Promise<void>;
}

/** A run with some of its parts. */
export type RunWith<Name extends keyof RunParts> = Run & Pick<RunParts, Name>;
