import { setTimeout as sleep } from 'node:timers/promises';

/** Only goes forward, whatever happens to the time of day; from where it counts says nothing. */
export interface SteadyClock {
  nowMs(): number;
  /** Never returns before that time. Throws the signal's reason. */
  waitUntil(atMs: number, signal?: AbortSignal): Promise<void>;
}

export const steadyClock: SteadyClock = {
  nowMs: () => performance.now(),
  async waitUntil(atMs, signal) {
    signal?.throwIfAborted();
    // Once more, for a timer may end a little early by this clock.
    for (let leftMs = atMs - performance.now(); leftMs > 0; leftMs = atMs - performance.now()) {
      await sleep(Math.ceil(leftMs), undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  },
};
