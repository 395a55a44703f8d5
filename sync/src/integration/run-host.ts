/**
 * The seam between the service, which decides what runs where, and the engine, which runs one
 * integration.
 */
import type { Secret } from '@portal/kit/secret';
import type { Figures } from './figures.ts';
import type { StoredIntegration } from './integration.ts';

export interface RunHost {
  readonly integration: StoredIntegration;
  /**
   * Decimal digits; greater than that of every run before. A later one in the engine's own state:
   * this run is over.
   */
  readonly fence: string;
  readonly journeyPassword: Secret;
  /** Aborted when it shall end: stopped, changed, or the lease lost. */
  readonly signal: AbortSignal;
  /**
   * Throws LeaseLost when the lease has run out by the clock: to be asked right before each call
   * that no fence checks.
   */
  readonly assertLease: () => void;
  /**
   * A line of the integration's log; the key is its level ('INFO', 'WARNING', 'SEVERE') or an
   * error's name.
   */
  readonly log: (key: string, value: string) => void;
  /** What has changed of its figures; they are written down at most once a second. */
  readonly publish: (figures: Partial<Figures>) => void;
  /**
   * Runs a piece of work when it is this integration's turn; work that waits for time to pass does
   * so outside.
   */
  readonly withSlot: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Calls back when somebody has changed the engine's own state from outside: a retry, a moved
   * cursor, a wished audit.
   */
  readonly onWake: (listener: () => void) => void;
}

export type RunResult =
  /** It was told to. */
  | { readonly outcome: 'stopped' }
  /** It cannot go on unless somebody acts. */
  | { readonly outcome: 'halted'; readonly reason: string; readonly position: string };

/**
 * Runs one integration until it is told to stop or cannot go on. What it throws is an outage (an
 * Unreachable, a lost database), and it is begun again for as long as that takes; or else a bug,
 * and it is begun again a few times.
 */
export type StartRun = (run: RunHost) => Promise<RunResult>;
