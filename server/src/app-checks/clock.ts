import { setTimeout as wait } from 'node:timers/promises';

/** The time of the checks, so that tests need not wait. */
export interface Clock {
  /** Milliseconds that only increase. */
  now(): number;
  /** Throws the signal's reason. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) => wait(ms, undefined, { ref: false, ...(signal && { signal }) }),
};
