/**
 * How long things take. A company's integrations all have the usual; tests of faults have less
 * time.
 */
import type { Backoff } from '@portal/kit/backoff';
import { journeyBackoff } from '@portal/platforms/journey/retry-delay';

export interface Timing {
  /** Journey wants its op-log asked at most once a second. */
  readonly pollMs: number;
  /** Helium tells nobody of a new release: its catalog is looked at this often. */
  readonly lookEveryMs: number;
  /** For the whole answer of each call to Journey. */
  readonly callTimeoutMs: number;
  /** Between two attempts at what has failed. */
  readonly retry: Backoff;
}

export const usualTiming: Timing = {
  pollMs: 1_000,
  lookEveryMs: 30_000,
  callTimeoutMs: 30_000,
  retry: journeyBackoff,
};
