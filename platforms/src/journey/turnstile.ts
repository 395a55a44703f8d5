import type { SteadyClock } from './steady-clock.ts';
import type { TokenBucket } from './token-bucket.ts';

export interface Turnstile {
  /**
   * Returns 0 when the caller is through; otherwise, at once or as soon as it is known, how many
   * milliseconds more than it would wait until there might be a turn. Throws the signal's reason.
   */
  pass(mostWaitMs: number, signal?: AbortSignal): Promise<number>;
}

/**
 * Lets callers through one after another, in the order in which they came, each with a token. A
 * token is taken when it is used, not promised ahead: after a stall those who waited do not all go
 * at once.
 */
export function createTurnstile(bucket: TokenBucket, clock: SteadyClock): Turnstile {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    async pass(mostWaitMs, signal) {
      signal?.throwIfAborted();
      const nowMs = clock.nowMs();
      const latestMs = nowMs + mostWaitMs;
      const expectedMs = bucket.nextAtMs(nowMs, waiting);
      if (expectedMs > latestMs) return expectedMs - nowMs;

      const before = last;
      let leave: () => void = () => undefined;
      last = new Promise((resolve) => {
        leave = resolve;
      });
      waiting += 1;
      try {
        await unlessAborted(before, signal);
        return await takeOne(latestMs, signal);
      } finally {
        waiting -= 1;
        // Who gives up in the middle of the row leaves it closed.
        void before.then(leave);
      }
    },
  };

  async function takeOne(latestMs: number, signal: AbortSignal | undefined): Promise<number> {
    for (;;) {
      const nowMs = clock.nowMs();
      const atMs = bucket.nextAtMs(nowMs);
      if (atMs <= nowMs) {
        bucket.take(nowMs);
        return 0;
      }
      if (atMs > latestMs) return atMs - nowMs;
      await clock.waitUntil(atMs, signal);
    }
  }
}

function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
