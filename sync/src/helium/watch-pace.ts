/** How long the watch of a database waits between two looks, in milliseconds. */
export interface WatchPace {
  /** While something moves. */
  readonly beatMs: number;
  /** So long after something moved it is looked as often: one change rarely comes alone. */
  readonly lingerMs: number;
  /** Reached by doubling while nothing does. */
  readonly idleMs: number;
  /** Reached in the same way once nothing has moved for half a minute. */
  readonly restMs: number;
}

export interface LastLook {
  /** How long was waited before it, but for pauses. */
  readonly waitMs: number;
  readonly hasMoved: boolean;
  /** How long ago something moved. */
  readonly quietMs: number;
  readonly tookMs: number;
}

const restedAfterMs = 30_000;
/**
 * After a look that took long, so many times as long is paused, up to the idle beat: the server is
 * busy enough.
 */
const pause = 4;

/** Returns how long is waited before the next look, and how long at least for this once. */
export function nextWait(
  { waitMs, hasMoved, quietMs, tookMs }: LastLook,
  { beatMs, lingerMs, idleMs, restMs }: WatchPace,
): { readonly waitMs: number; readonly pauseMs: number } {
  const maxMs = quietMs < restedAfterMs ? idleMs : restMs;
  return {
    waitMs: hasMoved || quietMs < lingerMs ? beatMs : Math.min(waitMs * 2, maxMs),
    pauseMs: Math.min(tookMs * pause, idleMs),
  };
}
