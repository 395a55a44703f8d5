export interface RateLimit {
  readonly perSecond: number;
  /** The number of calls allowed at once after a pause. */
  readonly burst: number;
}

export const defaultRateLimit: RateLimit = { perSecond: 20, burst: 100 };

export interface TokenBucket {
  /** Takes a token, or returns in how many milliseconds there will be one. */
  take(): { readonly waitMs: number };
}

/** Sums of fractions may lack this much of a token that is there. */
const rounding = 1e-9;

/** Starts full. `now` is in milliseconds and never decreases. */
export function createTokenBucket(
  { perSecond, burst }: RateLimit,
  now: () => number = () => performance.now(),
): TokenBucket {
  let tokens = burst;
  let countedAt = now();
  return {
    take() {
      const at = now();
      tokens = Math.min(burst, tokens + ((at - countedAt) * perSecond) / 1000);
      countedAt = at;
      if (tokens < 1 - rounding) return { waitMs: Math.ceil(((1 - tokens) * 1000) / perSecond) };
      tokens = Math.max(0, tokens - 1);
      return { waitMs: 0 };
    },
  };
}
