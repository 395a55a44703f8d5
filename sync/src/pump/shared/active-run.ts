/** What the loops of one running integration share. */

import type { EnrollmentClient } from '../../enrollment/enrollment-round.ts';
import type { RunHost } from '../../integration/run-host.ts';
import type { CurrentMapping } from './current-mapping.ts';
import type { PendingEchoes } from './pending-echoes.ts';
import type { Progress } from './progress.ts';
import type { RefreshQueue } from './refresh-queue.ts';
import type { SyncContext } from './sync-context.ts';
import type { Tally } from './tally.ts';
import type { Timing } from './timing.ts';
import type { WakeSignal } from './wake-signal.ts';

export interface ActiveRun {
  readonly run: RunHost;
  /** For enrollment, at this process's pace. */
  readonly client: EnrollmentClient;
  readonly timing: Timing;
  /**
   * In how many milliseconds it is this integration's turn to be polled, where nothing has come for
   * a while.
   */
  readonly takeIdleTurn: () => number;
  readonly isFromHelium: boolean;
  readonly isFromJourney: boolean;
  readonly mapping: CurrentMapping;
  /** The mapping's: to be read again at each page. */
  readonly context: SyncContext;
  readonly progress: Progress;
  readonly echoes: PendingEchoes;
  readonly tally: Tally;
  readonly refreshQueue: RefreshQueue;
  /** Wake the loop of that name. */
  readonly toJourney: WakeSignal;
  readonly toHelium: WakeSignal;
  readonly compare: WakeSignal;
}
