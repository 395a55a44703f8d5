/** The shared parts of one running integration, used by all its loops. */

import type { EnrollmentClient } from '../../enrollment/enrollment-round.ts';
import type { RunHost } from '../../integration/run-host.ts';
import type { OpLogPoint } from '../../journey/journey-gateway.ts';
import type { AnnouncedChanges } from '../owners/announced-changes.ts';
import type { DueCheck } from '../owners/due-check.ts';
import type { LookUpQueue } from '../owners/look-up-queue.ts';
import type { PendingEchoes } from '../owners/pending-echoes.ts';
import type { Progress } from '../owners/progress.ts';
import type { RefreshQueue } from '../owners/refresh-queue.ts';
import type { Tally } from '../owners/tally.ts';
import type { WakeSignal } from '../owners/wake-signal.ts';
import type { CurrentMapping } from './current-mapping.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { SyncContext } from './sync-context.ts';
import type { Timing } from './timing.ts';

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
