/**
 * Limits how fast one process calls Journey, across all integrations. For each host it limits the
 * call rate, honors requested pauses, and opens a circuit breaker on failures. Calls that would
 * wait too long are rejected (`throttled`), so a failing host does not block workers that other
 * hosts need.
 */
import type { Backoff } from '@portal/kit/backoff';
import { type CallOutcome, type CircuitBreaker, createCircuitBreaker, type Permit } from './circuit-breaker.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import { type JourneyFailureKind, JourneyProblem } from './journey-problem.ts';
import { requestedDelayMs } from './retry-delay.ts';
import { type SteadyClock, steadyClock } from './steady-clock.ts';
import { createTokenBucket, type TokenBucket, type TokenBucketRate } from './token-bucket.ts';

export interface JourneyRateLimiterOptions {
  /**
   * The rate per host. Default: 20 per second with a burst of 20. A deployment's own limit is not
   * public.
   */
  readonly rate?: TokenBucketRate;
  /** The maximum time a call waits in the host's queue. Default: 2 s. */
  readonly maxWaitMs?: number;
  /** Consecutive failures before the host's circuit breaker opens. Default: 5. */
  readonly maxFailures?: number;
  /** How long the circuit breaker stays open. Default: from 1 s to 1 min. */
  readonly breakerBackoff?: Backoff;
  readonly clock?: SteadyClock;
  readonly random?: () => number;
}

interface RateLimiterCallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface JourneyRateLimiter {
  /**
   * Makes the call when a token is available. Throws the call's own error, the signal's reason, or
   * a `JourneyProblem` of the kind `throttled` when the call was not made.
   *
   * @param baseUrl the deployment's; deployments of one host share a rate
   */
  run<T>(baseUrl: string, call: () => Promise<T>, options?: RateLimiterCallOptions): Promise<T>;
  /**
   * Resolves when this deployment's op-log may be polled: at most once a second, across all
   * callers.
   */
  waitForOpLog(baseUrl: string, options?: RateLimiterCallOptions): Promise<void>;
  /**
   * Reserves the next idle poll of a host and returns its delay in milliseconds. Idle polls ask
   * deployments without recent changes for new ones. They use at most half of the host's rate, in
   * the order of the reservations, so that the rest stays available for data.
   */
  reserveIdlePoll(baseUrl: string): number;
}

/** Failures that show an unhealthy host; all other failures show that it responds. */
const unhealthyKinds: ReadonlySet<JourneyFailureKind> = new Set([
  'server-error',
  'unreachable',
  'no-response',
  'unexpected-response',
]);

interface Host {
  readonly name: string;
  readonly bucket: TokenBucket;
  readonly queue: FairQueue;
  readonly breaker: CircuitBreaker;
  /** The time of the next idle poll that is not reserved. */
  nextIdlePollAtMs: number;
}

export function createJourneyRateLimiter(options: JourneyRateLimiterOptions = {}): JourneyRateLimiter {
  const { clock = steadyClock, maxWaitMs = 2_000, maxFailures = 5, random = Math.random } = options;
  const { rate = { perSecond: 20, burst: 20 }, breakerBackoff: backoff = { initialMs: 1_000, maxMs: 60_000 } } =
    options;
  const hosts = new Map<string, Host>();
  const opLogQueues = new Map<string, FairQueue>();

  const createHost = (name: string): Host => {
    const bucket = createTokenBucket(rate);
    const breaker = createCircuitBreaker({ maxFailures, backoff, random });
    return { name, bucket, queue: createFairQueue(bucket, clock), breaker, nextIdlePollAtMs: 0 };
  };
  const getHost = (baseUrl: string): Host => {
    const name = new URL(baseUrl).host;
    return getOrCreate(hosts, name, () => createHost(name));
  };
  const createOpLogQueue = () => createFairQueue(createTokenBucket({ perSecond: 1, burst: 1 }), clock);

  return {
    async run(baseUrl, call, { signal } = {}) {
      const host = getHost(baseUrl);
      const permit = await acquirePermit(host, signal);
      let outcome: CallOutcome = 'unknown';
      try {
        const result = await call();
        outcome = 'alive';
        return result;
      } catch (error) {
        outcome = toOutcome(error);
        const requestedMs = error instanceof JourneyProblem ? requestedDelayMs(error.failure) : 0;
        if (requestedMs > 0) host.bucket.pauseUntil(clock.nowMs() + requestedMs);
        throw error;
      } finally {
        permit.report(outcome, clock.nowMs());
      }
    },
    async waitForOpLog(baseUrl, { signal } = {}) {
      const queue = getOrCreate(opLogQueues, new URL(baseUrl).href, createOpLogQueue);
      await queue.acquire(Number.POSITIVE_INFINITY, signal);
    },
    reserveIdlePoll(baseUrl) {
      const host = getHost(baseUrl);
      const nowMs = clock.nowMs();
      const atMs = Math.max(nowMs, host.nextIdlePollAtMs);
      host.nextIdlePollAtMs = atMs + 2_000 / rate.perSecond;
      return atMs - nowMs;
    },
  };

  async function acquirePermit({ name, queue, breaker }: Host, signal: AbortSignal | undefined): Promise<Permit> {
    const openForMs = breaker.waitMs(clock.nowMs());
    if (openForMs > 0) throw createBreakerProblem(name, openForMs);
    const throttledMs = await queue.acquire(maxWaitMs, signal);
    if (throttledMs > 0) throw createThrottledProblem(`Journey ${name} is at its rate limit`, throttledMs);
    // The breaker may have opened while this call waited.
    const nowMs = clock.nowMs();
    const permit = breaker.tryAcquire(nowMs);
    if (!permit) throw createBreakerProblem(name, breaker.waitMs(nowMs));
    return permit;
  }
}

function toOutcome(problem: unknown): CallOutcome {
  if (!(problem instanceof JourneyProblem)) return 'unknown';
  return unhealthyKinds.has(problem.failure.kind) ? 'failed' : 'alive';
}

function createBreakerProblem(name: string, retryAfterMs: number): JourneyProblem {
  return createThrottledProblem(`Journey ${name} failed several times in a row`, retryAfterMs);
}

function createThrottledProblem(reason: string, retryAfterMs: number): JourneyProblem {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new JourneyProblem(`${reason}; next attempt in ${seconds} s.`, { kind: 'throttled', retryAfterMs });
}

function getOrCreate<T>(map: Map<string, T>, key: string, create: () => T): T {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}
