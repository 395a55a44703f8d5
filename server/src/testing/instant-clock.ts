import type { Clock } from '../app-checks/clock.ts';

/** Returns a clock whose time passes only in pauses, which end at once. */
export function createInstantClock(): Clock {
  let nowMs = 0;
  return {
    now: () => nowMs,
    async pause(ms, signal) {
      signal?.throwIfAborted();
      nowMs += ms;
    },
  };
}
