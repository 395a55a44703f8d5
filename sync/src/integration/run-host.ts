/**
 * The interface between the service, which decides what runs where, and the engine, which runs one
 * integration.
 */
import type { Secret } from '@portal/kit/secret';
import type { Figures } from './figures.ts';
import type { StoredIntegration } from './integration.ts';

export interface RunHost {
  readonly integration: StoredIntegration;
  /**
   * Decimal digits, greater than the fence of every earlier run. When the engine state has a later
   * one, this run is over.
   */
  readonly fence: string;
  readonly journeyPassword: Secret;
  /** Aborted when the run must end: stopped, reconfigured, or lease lost. */
  readonly signal: AbortSignal;
  /**
   * Throws LeaseLostError when the lease has expired by the local clock. Call it right before each
   * call that no fence protects.
   */
  readonly assertLease: () => void;
  /**
   * Writes a line to the integration's log; the key is its level ('INFO', 'WARNING', 'SEVERE') or
   * an error's name.
   */
  readonly log: (key: string, value: string) => void;
  /** Logs the details of an error that is a bug, for engineers, if the run goes on despite it. */
  readonly reportBug: (error: unknown) => void;
  /** Publishes changed figures. They are stored at most once a second. */
  readonly publish: (figures: Partial<Figures>) => void;
  /**
   * Runs work when it is this integration's turn. Work must not wait for time to pass inside a
   * slot.
   */
  readonly withSlot: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Registers a callback for changes to the engine state from outside the run: a retry, a moved
   * cursor, a requested comparison.
   */
  readonly onWake: (listener: () => void) => void;
  /** Registers a callback for Journey's webhooks: there is something new in its op-log. */
  readonly onWebhook: (listener: () => void) => void;
  /** Registers a callback for an operator's "Try now": all waits for Journey end. */
  readonly onTryNow: (listener: () => void) => void;
}

/** It cannot continue until an operator acts. */
export interface Halted {
  readonly outcome: 'halted';
  readonly reason: string;
  readonly position: string;
}

export type RunResult =
  /** It was asked to stop. */
  { readonly outcome: 'stopped' } | Halted;

/**
 * Runs one integration until it is stopped or cannot continue. An error is either an outage (an
 * Unreachable, a lost database), and the run is restarted for as long as the outage lasts, or a
 * bug, and it is restarted a limited number of times.
 */
export type StartRun = (run: RunHost) => Promise<RunResult>;
