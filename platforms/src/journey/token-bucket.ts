/** Times are those of a `SteadyClock`. */
export interface TokenBucketRate {
  readonly perSecond: number;
  /** How many may go at once after a while of quiet; at least 1. */
  readonly burst: number;
}

export interface TokenBucket {
  /** When there will be a token, now or later, after so many `others` have taken theirs. */
  nextAtMs(nowMs: number, others?: number): number;
  /** Only when `nextAtMs` is now. */
  take(nowMs: number): void;
  /** Nothing before then, and no burst after. */
  pauseUntil(atMs: number): void;
}

/**
 * In any stretch of t seconds no more than `burst + perSecond * t` are taken, and none later than
 * it must be.
 */
export function createTokenBucket({ perSecond, burst }: TokenBucketRate): TokenBucket {
  const intervalMs = 1000 / perSecond;
  const aheadMs = (burst - 1) * intervalMs;
  /** When the next token would be there, had none ever gone ahead of its time. */
  let dueMs = Number.NEGATIVE_INFINITY;
  return {
    nextAtMs: (nowMs, others = 0) => Math.max(nowMs, Math.max(nowMs, dueMs) + others * intervalMs - aheadMs),
    take(nowMs) {
      dueMs = Math.max(nowMs, dueMs) + intervalMs;
    },
    pauseUntil(atMs) {
      dueMs = Math.max(dueMs, atMs + aheadMs);
    },
  };
}
