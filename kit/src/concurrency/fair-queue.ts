import type { SteadyClock } from './steady-clock.ts';
import type { TokenBucket } from './token-bucket.ts';
import { untilAborted } from './until-aborted.ts';

export interface FairQueue {
  /**
   * Waits for a token and returns 0. If that would take longer than `maxWaitMs`, returns as early
   * as possible how many milliseconds the token would take. Throws the signal's reason.
   */
  acquire(maxWaitMs: number, signal?: AbortSignal): Promise<number>;
  /** Takes a token if no caller waits and one is available now. Returns whether it did. */
  tryAcquire(): boolean;
}

/**
 * A queue that serves callers in order of arrival, each with a token. Tokens are taken when they
 * are used and not in advance, so that queued callers do not all continue at once after a stall.
 *
 * @param shared a queue that several share, whose token each caller needs too. Only the first of
 *   this queue waits in it, so that those who share it take turns.
 */
export function createFairQueue(bucket: TokenBucket, clock: SteadyClock, shared?: FairQueue): FairQueue {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    tryAcquire,
    async acquire(maxWaitMs, signal) {
      signal?.throwIfAborted();
      // The common case, without a place in the queue.
      if (tryAcquire()) return 0;
      const nowMs = clock.nowMs();
      const latestMs = nowMs + maxWaitMs;
      const expectedMs = bucket.nextAtMs(nowMs, waiting);
      if (expectedMs > latestMs) return expectedMs - nowMs;

      const before = last;
      let leave: () => void = () => undefined;
      last = new Promise((resolve) => {
        leave = resolve;
      });
      waiting += 1;
      try {
        await untilAborted(signal, before);
        return await takeToken(latestMs, signal);
      } finally {
        waiting -= 1;
        // A caller that gives up keeps its place closed until the callers ahead are done.
        void before.then(leave);
      }
    },
  };

  function tryAcquire(): boolean {
    const nowMs = clock.nowMs();
    if (waiting > 0 || bucket.nextAtMs(nowMs) > nowMs || shared?.tryAcquire() === false) return false;
    bucket.take(nowMs);
    return true;
  }

  async function takeToken(latestMs: number, signal: AbortSignal | undefined): Promise<number> {
    for (;;) {
      const nowMs = clock.nowMs();
      const atMs = bucket.nextAtMs(nowMs);
      if (atMs <= nowMs) {
        const sharedMs = (await shared?.acquire(latestMs - nowMs, signal)) ?? 0;
        if (sharedMs === 0) bucket.take(clock.nowMs());
        return sharedMs;
      }
      if (atMs > latestMs) return atMs - nowMs;
      await clock.waitUntil(atMs, signal);
    }
  }
}
