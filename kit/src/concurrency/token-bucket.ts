/** Times are those of a `SteadyClock`. */
export interface TokenBucketRate {
  readonly perSecond: number;
  /** How many tokens a full bucket holds; at least 1. */
  readonly burst: number;
}

export interface TokenBucket {
  /** Returns when a token is available, after this many `others` have taken theirs. */
  nextAtMs(nowMs: number, others?: number): number;
  /** Takes a token; call it only when `nextAtMs` is now. */
  take(nowMs: number): void;
}

/** Gives at most `burst + perSecond * t` tokens in any t seconds, each as early as possible. */
export function createTokenBucket({ perSecond, burst }: TokenBucketRate): TokenBucket {
  const intervalMs = 1000 / perSecond;
  const aheadMs = (burst - 1) * intervalMs;
  /** When the next token would be due if no burst had ever used tokens early. */
  let dueMs = Number.NEGATIVE_INFINITY;
  return {
    nextAtMs: (nowMs, others = 0) => Math.max(nowMs, Math.max(nowMs, dueMs) + others * intervalMs - aheadMs),
    take(nowMs) {
      dueMs = Math.max(nowMs, dueMs) + intervalMs;
    },
  };
}
