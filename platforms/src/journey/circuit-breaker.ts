/**
 * N failures in a row                 the wait is over
 *   closed ─────────────────────▶ open ─────────────────────────▶ one probe
 *      ▲                            ▲              failed            │  │
 *      │                            └───────────────────────────────┘  │
 *      └───────────────────────────────────────────────────────────────┘ alive
 *
 * Stops calls to a host or deployment that does not respond, which saves waiting for their
 * time-outs. Times are those of a `SteadyClock`.
 */
import { type Backoff, backoffMs } from '@portal/kit/backoff';

interface CircuitBreakerOptions {
  /** Consecutive failures before it opens. */
  readonly maxFailures: number;
  /**
   * How long it stays open: at least `initialMs`, plus a random backoff whose limit doubles with
   * each failed probe.
   */
  readonly backoff: Backoff;
  readonly random?: () => number;
}

/** `unknown`: the call was aborted, or showed nothing about the host. */
export type CallOutcome = 'alive' | 'failed' | 'unknown';

export interface Permit {
  /** Reports the outcome of the call; must be called exactly once. */
  report(outcome: CallOutcome, nowMs: number): void;
}

export interface CircuitBreaker {
  /** Returns a permit for one call; undefined when the call must not be made now. */
  tryAcquire(nowMs: number): Permit | undefined;
  /** Returns how long to wait before the next `tryAcquire`; 0 when it can be made now. */
  waitMs(nowMs: number): number;
  /** Unless it is closed, allows a probe now, even if the last one is still under way. */
  allowProbe(nowMs: number): void;
  readonly isClosed: boolean;
}

type State =
  | { readonly status: 'closed'; failures: number }
  | { readonly status: 'open'; readonly untilMs: number; readonly failedProbes: number }
  | { readonly status: 'probing'; readonly failedProbes: number };

export function createCircuitBreaker({ maxFailures, backoff, random }: CircuitBreakerOptions): CircuitBreaker {
  let state: State = { status: 'closed', failures: 0 };

  const open = (nowMs: number, failedProbes: number): State => {
    const untilMs = nowMs + backoff.initialMs + backoffMs(failedProbes, backoff, random);
    return { status: 'open', untilMs, failedProbes };
  };
  const reportCall = (outcome: CallOutcome, nowMs: number, entered: State) => {
    // A call that started before it opened shows nothing about the host since then.
    if (state !== entered || state.status !== 'closed' || outcome === 'unknown') return;
    state.failures = outcome === 'alive' ? 0 : state.failures + 1;
    if (state.failures >= maxFailures) state = open(nowMs, 0);
  };
  const reportProbe = (outcome: CallOutcome, nowMs: number, probing: State & { status: 'probing' }) => {
    if (state !== probing) return;
    if (outcome === 'alive') state = { status: 'closed', failures: 0 };
    else if (outcome === 'failed') state = open(nowMs, probing.failedProbes + 1);
    else state = { status: 'open', untilMs: nowMs, failedProbes: probing.failedProbes };
  };

  return {
    tryAcquire(nowMs) {
      const entered = state;
      if (entered.status === 'closed') return { report: (outcome, thenMs) => reportCall(outcome, thenMs, entered) };
      if (entered.status === 'probing' || nowMs < entered.untilMs) return undefined;
      const probing = { status: 'probing', failedProbes: entered.failedProbes } as const;
      state = probing;
      return { report: (outcome, thenMs) => reportProbe(outcome, thenMs, probing) };
    },
    waitMs(nowMs) {
      if (state.status === 'closed') return 0;
      return state.status === 'probing' ? backoff.initialMs : Math.max(0, state.untilMs - nowMs);
    },
    allowProbe(nowMs) {
      if (state.status !== 'closed') state = { status: 'open', untilMs: nowMs, failedProbes: state.failedProbes };
    },
    get isClosed() {
      return state.status === 'closed';
    },
  };
}
