/** Poll intervals of a database watch, in milliseconds. */
export interface WatchPace {
  /** The interval while something changes. */
  readonly activeMs: number;
  /** How long the active interval continues after a change: changes rarely come one at a time. */
  readonly lingerMs: number;
  /** The interval while nothing changes, reached by doubling. */
  readonly idleMs: number;
  /** The interval after half a minute without changes, also reached by doubling. */
  readonly dormantMs: number;
}

export interface LastPoll {
  /** The wait before the poll, without extra pauses. */
  readonly waitMs: number;
  readonly hasMoved: boolean;
  /** Time since the last change. */
  readonly idleForMs: number;
  readonly durationMs: number;
}

const dormantAfterMs = 30_000;
/**
 * After a slow poll, the watch pauses for this many times its duration, up to the idle interval:
 * the server is busy.
 */
const pauseFactor = 4;

/** Returns the interval before the next poll, and the minimum pause for this one time. */
export function nextWait(
  { waitMs, hasMoved, idleForMs, durationMs }: LastPoll,
  { activeMs, lingerMs, idleMs, dormantMs }: WatchPace,
): { readonly waitMs: number; readonly pauseMs: number } {
  const maxMs = idleForMs < dormantAfterMs ? idleMs : dormantMs;
  return {
    waitMs: hasMoved || idleForMs < lingerMs ? activeMs : Math.min(waitMs * 2, maxMs),
    pauseMs: Math.min(durationMs * pauseFactor, idleMs),
  };
}
