/**
 * Intervals and time limits of a run. Production uses the defaults; fault tests use shorter ones.
 */
import type { Backoff } from '@portal/kit/backoff';
import { journeyBackoff } from '@portal/platforms/journey/retry-delay';
import { defaultSilenceTiming, type SilenceTiming } from '@portal/platforms/journey/silent-calls';

export interface Timing {
  /** Journey's op-log may be polled once a second. */
  readonly pollMs: number;
  readonly announced: AnnouncedTiming;
  /**
   * The pause between two pages of a comparison. Every page waits for the op-log, which may be
   * polled at most once a second.
   */
  readonly comparePauseMs: number;
  /** Within this time, integrations that start together begin the comparisons that are due. */
  readonly compareSpreadMs: number;
  /** Covers the complete response of each call to Journey. */
  readonly callTimeoutMs: number;
  /** A call that takes longer is shown as unanswered. */
  readonly slowCallMs: number;
  /** How calls whose connections died are found. */
  readonly silence: SilenceTiming;
  /**
   * After this time, a round of enrollment that failed, or found no users, is repeated, if the next
   * one is not due before.
   */
  readonly enrollmentRetryMs: number;
  /** The backoff between two attempts after a failure. */
  readonly retry: Backoff;
  readonly files: FileTiming;
}

/**
 * How often the op-log is polled while Journey's webhooks announce what devices change. They
 * announce no deletions, and may get lost.
 */
interface AnnouncedTiming {
  /** In the minute after a change. */
  readonly activePollMs: number;
  readonly idlePollMs: number;
}

interface FileTiming {
  /** The delays between two attempts to get the same file. Each is twice the one before. */
  readonly retry: Backoff;
  /** How many files are downloaded at once, which also bounds the memory that they take. */
  readonly parallelDownloads: number;
  /** How often the files that wait are checked without any other reason to. */
  readonly idleCheckMs: number;
}

export const defaultTiming: Timing = {
  pollMs: 1_000,
  announced: { activePollMs: 5_000, idlePollMs: 30_000 },
  comparePauseMs: 1_000,
  compareSpreadMs: 3_600_000,
  callTimeoutMs: 30_000,
  // Figures are stored once a second: operators see it within five seconds.
  slowCallMs: 3_000,
  silence: defaultSilenceTiming,
  enrollmentRetryMs: 60_000,
  retry: journeyBackoff,
  files: { retry: { initialMs: 5_000, maxMs: 3_600_000 }, parallelDownloads: 4, idleCheckMs: 3_600_000 },
};
