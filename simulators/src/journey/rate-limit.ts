import { createTokenBucket, type TokenBucketRate } from '@portal/kit/concurrency/token-bucket';

/** `burst` calls are allowed at once after a pause. */
export type RateLimit = TokenBucketRate;

export const defaultRateLimit: RateLimit = { perSecond: 20, burst: 100 };

/** Takes a token and returns 0, or returns in how many milliseconds there will be one. */
export type TakeToken = () => number;

/** `now` is in milliseconds and never decreases. */
export function createRateLimit(limit: RateLimit, now: () => number = () => performance.now()): TakeToken {
  const bucket = createTokenBucket(limit);
  return () => {
    const at = now();
    const waitMs = Math.ceil(bucket.nextAtMs(at) - at);
    if (waitMs === 0) bucket.take(at);
    return waitMs;
  };
}
