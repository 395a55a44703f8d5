/**
 *            N failures in a row                 the wait is over
 *   closed ─────────────────────▶ open ─────────────────────────▶ one probe
 *      ▲                            ▲              failed            │  │
 *      │                            └───────────────────────────────┘  │
 *      └───────────────────────────────────────────────────────────────┘ alive
 *
 * Spares a host that does not answer, and spares us the waiting for it. Times are those of a
 * `SteadyClock`.
 */
import { type Backoff, backoffMs } from '@portal/kit/backoff';

interface CircuitBreakerOptions {
  /** In a row, before it opens. */
  readonly mostFailures: number;
  /**
   * How long it stays open: `firstMs` at least, and up to that much longer again, doubling each
   * time a probe fails.
   */
  readonly backoff: Backoff;
  readonly random?: () => number;
}

/** `unknown`: the call was given up, and nothing learned. */
export type PassageOutcome = 'alive' | 'failed' | 'unknown';

export interface Passage {
  /** To be called once, when the call is over. */
  settle(outcome: PassageOutcome, nowMs: number): void;
}

export interface CircuitBreaker {
  /** For one call; undefined when it must not be made now. */
  enter(nowMs: number): Passage | undefined;
  /** How long until `enter` may be worth another try; 0 when it is now. */
  waitMs(nowMs: number): number;
}

type State =
  | { readonly is: 'closed'; failures: number }
  | { readonly is: 'open'; readonly untilMs: number; readonly failedProbes: number }
  | { readonly is: 'probing'; readonly failedProbes: number };

export function createCircuitBreaker({ mostFailures, backoff, random }: CircuitBreakerOptions): CircuitBreaker {
  let state: State = { is: 'closed', failures: 0 };

  const open = (nowMs: number, failedProbes: number): State => {
    const untilMs = nowMs + backoff.initialMs + backoffMs(failedProbes, backoff, random);
    return { is: 'open', untilMs, failedProbes };
  };
  const settleUsual = (outcome: PassageOutcome, nowMs: number, entered: State) => {
    // What began before it opened says nothing of how things are since.
    if (state !== entered || state.is !== 'closed' || outcome === 'unknown') return;
    state.failures = outcome === 'alive' ? 0 : state.failures + 1;
    if (state.failures >= mostFailures) state = open(nowMs, 0);
  };
  const settleProbe = (outcome: PassageOutcome, nowMs: number, probing: State & { is: 'probing' }) => {
    if (state !== probing) return;
    if (outcome === 'alive') state = { is: 'closed', failures: 0 };
    else if (outcome === 'failed') state = open(nowMs, probing.failedProbes + 1);
    else state = { is: 'open', untilMs: nowMs, failedProbes: probing.failedProbes };
  };

  return {
    enter(nowMs) {
      const entered = state;
      if (entered.is === 'closed') return { settle: (outcome, thenMs) => settleUsual(outcome, thenMs, entered) };
      if (entered.is === 'probing' || nowMs < entered.untilMs) return undefined;
      const probing = { is: 'probing', failedProbes: entered.failedProbes } as const;
      state = probing;
      return { settle: (outcome, thenMs) => settleProbe(outcome, thenMs, probing) };
    },
    waitMs(nowMs) {
      if (state.is === 'closed') return 0;
      return state.is === 'probing' ? backoff.initialMs : Math.max(0, state.untilMs - nowMs);
    },
  };
}
