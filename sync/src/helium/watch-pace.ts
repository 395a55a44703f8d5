/** How long the watch of a database waits between two looks, in milliseconds. */
export interface WatchPace {
  /** While something moves. */
  readonly activeMs: number;
  /** So long after something moved it is looked as often: one change rarely comes alone. */
  readonly lingerMs: number;
  /** Reached by doubling while nothing does. */
  readonly idleMs: number;
  /** Reached in the same way once nothing has moved for half a minute. */
  readonly dormantMs: number;
}

export interface LastPoll {
  /** How long was waited before it, but for pauses. */
  readonly waitMs: number;
  readonly hasMoved: boolean;
  /** How long ago something moved. */
  readonly idleForMs: number;
  readonly durationMs: number;
}

const dormantAfterMs = 30_000;
/**
 * After a look that took long, so many times as long is paused, up to the idle beat: the server is
 * busy enough.
 */
const pauseFactor = 4;

/** Returns how long is waited before the next look, and how long at least for this once. */
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
