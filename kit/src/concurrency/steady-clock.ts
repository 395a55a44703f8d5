import { setTimeout as sleep } from 'node:timers/promises';

/** A clock that never goes back, whatever happens to the system time. Its origin is arbitrary. */
export interface SteadyClock {
  nowMs(): number;
  /** Never resolves before that time. Throws the signal's reason. */
  waitUntil(atMs: number, signal?: AbortSignal): Promise<void>;
}

export const steadyClock: SteadyClock = {
  nowMs: () => performance.now(),
  async waitUntil(atMs, signal) {
    signal?.throwIfAborted();
    // Repeated because a timer can fire slightly early by this clock.
    for (let leftMs = atMs - performance.now(); leftMs > 0; leftMs = atMs - performance.now()) {
      await sleep(Math.ceil(leftMs), undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  },
};
