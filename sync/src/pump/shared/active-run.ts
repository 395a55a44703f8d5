/** What the loops of one running integration share. */

import type { EnrollmentClient } from '../../enrollment/enrollment-round.ts';
import type { Run } from '../../integration/run.ts';
import type { RecordKey } from '../../record/record-key.ts';
import type { RunRow } from '../../sync-state/runs.store.ts';
import type { SyncContext } from './sync-context.ts';
import type { Timing } from './timing.ts';
import type { WakeSignal } from './wake-signal.ts';

export interface ActiveRun {
  readonly run: Run;
  /** For enrollment, at this process's pace. */
  readonly client: EnrollmentClient;
  /** What is to be read whole is planned, and read a page of, one after the other. */
  readonly planning: <T>(work: () => Promise<T>) => Promise<T>;
  /** Replaced when the mapping changes; to be asked for anew at each page. */
  context: SyncContext;
  /** Where each direction is; each loop moves its own. */
  at: RunRow;
  readonly toJourney: WakeSignal;
  readonly toHelium: WakeSignal;
  readonly audit: WakeSignal;
  readonly timing: Timing;
  /** In how many milliseconds it is this integration's turn to be asked for news, where nothing has come for a while. */
  readonly takeQuietTurn: () => number;
  /** When changes of Helium came up that have yet to be carried over; null: none wait. */
  waitingSinceMs: number | null;
  /** Number of the last intent Journey has acknowledged. */
  acknowledged: number;
  /** Records, since the run began. */
  carriedToJourney: number;
  carriedToHelium: number;
  /** Somebody's acts may have changed how many records are held, or conflicts. */
  countsMayDiffer: boolean;
  /** Records that a comparison found to differ from what is known of Journey: to be listed once more, and applied. */
  readonly toLookAt: RecordKey[];
  /** Whether records were held when they were counted last: only then some may be due. */
  hasHeld: boolean;
  readonly isFromHelium: boolean;
  readonly isFromJourney: boolean;
  /** Whether acknowledged intents, or records Journey did not have, wait for the op-log to be read to its end. */
  hasUnsettled: boolean;
  /** Up to which intent, and how often since the op-log was read to its end; null: not begun. */
  settling: { readonly upTo: number; readonly ends: number } | null;
  /**
   * Nobody knows whether a call was carried out: before anything is sent again, the op-log is read to its end. A put sent
   * twice would take back what a device has made of the first.
   */
  mustReadFirst: boolean;
  /** Whether records may still be known by listings that the op-log has yet to be read past. */
  hasListings: boolean;
  /** Reads both data models anew when Journey's is another than the mapping was made from. */
  followModel(hash: string): Promise<void>;
}
