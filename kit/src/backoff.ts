export interface Backoff {
  /** Upper bound of the first delay. */
  readonly initialMs: number;
  /** Upper bound of every delay. */
  readonly maxMs: number;
}

/**
 * Returns the delay in milliseconds before the next attempt after `attempt` previous failures (0 is
 * the first). The delay is random between 0 and a bound that doubles with each failure. Full jitter
 * keeps many clients from retrying in step.
 */
export function backoffMs(attempt: number, { initialMs, maxMs }: Backoff, random: () => number = Math.random): number {
  return Math.floor(random() * Math.min(maxMs, initialMs * 2 ** attempt));
}
