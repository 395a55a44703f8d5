import { setImmediate as turn } from 'node:timers/promises';
import type { SteadyClock } from './steady-clock.ts';

/** A clock for tests, which stands still until it is told to go on. */
interface TestClock extends SteadyClock {
  /** Jumps from each time that is waited for to the next, until nobody waits any more. */
  runOut(): Promise<void>;
  /** All who wait for a time before that are woken together, then. */
  stallUntil(atMs: number): void;
}

export function createTestClock(): TestClock {
  let nowMs = 0;
  let stalledUntilMs = 0;
  let waiting: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    waitUntil(atMs, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (atMs <= nowMs) return Promise.resolve();
      return new Promise((wake, reject) => {
        const entry = { atMs, wake };
        waiting.push(entry);
        signal?.addEventListener('abort', () => {
          waiting = waiting.filter((other) => other !== entry);
          reject(signal.reason);
        });
      });
    },
    stallUntil(atMs) {
      stalledUntilMs = atMs;
    },
    async runOut() {
      await turn();
      while (waiting.length > 0) {
        nowMs = Math.max(stalledUntilMs, Math.min(...waiting.map(({ atMs }) => atMs)));
        const due = waiting.filter(({ atMs }) => atMs <= nowMs);
        waiting = waiting.filter(({ atMs }) => atMs > nowMs);
        for (const { wake } of due) wake();
        await turn();
      }
    },
  };
}
