import { setImmediate as turn } from 'node:timers/promises';
import type { SteadyClock } from './steady-clock.ts';

/** A clock for tests that advances only on request. */
interface TestClock extends SteadyClock {
  /** Advances to each awaited time in order, until nothing is waiting. */
  advance(): Promise<void>;
  /** Wakes all waits that are due before that time together, at that time. */
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
      return new Promise((resolve, reject) => {
        const abort = () => {
          waiting = waiting.filter((other) => other !== entry);
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const entry = { atMs, wake };
        waiting.push(entry);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
    stallUntil(atMs) {
      stalledUntilMs = atMs;
    },
    async advance() {
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
