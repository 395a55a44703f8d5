export interface Backoff {
  /** Upper bound of the first wait. */
  readonly initialMs: number;
  /** Upper bound of every wait. */
  readonly maxMs: number;
}

/**
 * How long to wait before trying again after `attempt` failures in a row (0 is the first): anything
 * between nothing and a bound that doubles each time. The full spread keeps many clients from
 * coming back in step.
 */
export function backoffMs(attempt: number, { initialMs, maxMs }: Backoff, random: () => number = Math.random): number {
  return Math.floor(random() * Math.min(maxMs, initialMs * 2 ** attempt));
}
