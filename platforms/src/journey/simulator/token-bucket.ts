export interface RateLimit {
  readonly perSecond: number;
  /** How many calls may come at once after a rest. */
  readonly burst: number;
}

export const defaultRateLimit: RateLimit = { perSecond: 20, burst: 100 };

export interface TokenBucket {
  /** Takes a token, or answers after how many milliseconds there will be one. */
  take(): { readonly waitMs: number };
}

/** Full at first. `now` in milliseconds, never going back. */
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
      if (tokens < 1) return { waitMs: Math.ceil(((1 - tokens) * 1000) / perSecond) };
      tokens -= 1;
      return { waitMs: 0 };
    },
  };
}
