/** The shared parts of one running integration, used by all its loops. */

import type { EnrollmentClient } from '../../enrollment/enrollment-round.ts';
import type { RunHost } from '../../integration/run-host.ts';
import type { OpLogPoint } from '../../journey/journey-gateway.ts';
import type { SyncContext } from '../state/context.ts';
import type { CurrentMapping } from '../state/current-mapping.ts';
import type { DueCheck } from '../state/due-check.ts';
import type { PendingEchoes } from '../state/echoes.ts';
import type { LookUpQueue } from '../state/look-ups.ts';
import type { Progress } from '../state/progress.ts';
import type { RefreshQueue } from '../state/refresh-queue.ts';
import type { Tally } from '../state/tally.ts';
import type { AnnouncedChanges } from './pace/announced-changes.ts';
import type { RetryPolicy } from './pace/retry-policy.ts';
import type { Timing } from './pace/timing.ts';
import type { WakeSignal } from './pace/wake-signal.ts';

export interface ActiveRun {
  readonly run: RunHost;
  /** Used by enrollment; limited by this process's rate limit. */
  readonly client: EnrollmentClient;
  readonly timing: Timing;
  /** Returns in how many milliseconds this idle integration may be polled next. */
  readonly reserveIdlePoll: () => number;
  readonly isFromHelium: boolean;
  readonly isFromJourney: boolean;
  readonly mapping: CurrentMapping;
  /** Compares Helium's data model with the mapping at the next poll of the op-log. */
  readonly catalogCheck: DueCheck;
  /**
   * Plans to read all objects of the side that this direction comes from; with a point, after what
   * is left of the op-log behind it.
   */
  readonly readAgain: (direction: 'toHelium' | 'toJourney', opLogPoint?: OpLogPoint | null) => Promise<void>;
  /** The context with the current mapping. Loops read it again for each page. */
  readonly context: SyncContext;
  readonly progress: Progress;
  readonly echoes: PendingEchoes;
  readonly tally: Tally;
  readonly announced: AnnouncedChanges;
  readonly refreshQueue: RefreshQueue;
  readonly lookUps: LookUpQueue;
  /** Verifies Helium before the loop to Journey sleeps. */
  readonly heliumCheck: DueCheck;
  /** What follows when Journey fails, by direction. */
  readonly retries: { readonly toJourney: RetryPolicy; readonly toHelium: RetryPolicy };
  /** Wakes the loop of the same name. */
  readonly toJourney: WakeSignal;
  readonly toHelium: WakeSignal;
  /** Wakes the loop that downloads files. */
  readonly files: WakeSignal;
  readonly compare: WakeSignal;
  readonly lookAgain: WakeSignal;
  /** Ends the wait of enrollment, for Journey or for its next round. */
  readonly enrollment: WakeSignal;
  /** Wakes the search for requests from Helium. */
  readonly requests: WakeSignal;
}
