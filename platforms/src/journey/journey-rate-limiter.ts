/**
 * Limits how fast one process calls Journey, across all integrations. Calls that would wait too
 * long are rejected (`throttled`), so a failing host does not block workers that other hosts need.
 *
 *   per deployment  the rate of its calls and the pause that Journey requested, because Journey's
 *                   limits are per deployment; a circuit breaker for its own failures
 *   per host        our own courtesy limit of the calls to all its deployments; a circuit breaker
 *                   that opens when it cannot be reached or several of its deployments fail
 */
import type { Backoff } from '@portal/kit/backoff';
import { createFairQueue, type FairQueue } from '@portal/kit/concurrency/fair-queue';
import { type SteadyClock, steadyClock } from '@portal/kit/concurrency/steady-clock';
import { createTokenBucket, type TokenBucketRate } from '@portal/kit/concurrency/token-bucket';
import { type CallOutcome, type CircuitBreaker, createCircuitBreaker, type Permit } from './circuit-breaker.ts';
import { type JourneyFailureKind, JourneyProblem } from './journey-problem.ts';
import { requestedDelayMs } from './retry-delay.ts';

export interface JourneyRateLimiterOptions {
  /**
   * The rate per deployment. Default: 20 per second with a burst of 20. A deployment's own limit is
   * not public.
   */
  readonly rate?: TokenBucketRate;
  /** The rate per host. Default: 250 per second with a burst of 250. */
  readonly hostRate?: TokenBucketRate;
  /** The maximum time a call waits for these rates. Default: 2 s. */
  readonly maxWaitMs?: number;
  /** Consecutive failures before a circuit breaker opens. Default: 5. */
  readonly maxFailures?: number;
  /** How long a circuit breaker stays open before a probe. Default: from 1 s to 5 s. */
  readonly breakerBackoff?: Backoff;
  readonly clock?: SteadyClock;
  readonly random?: () => number;
}

interface RateLimiterCallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call downloads a file: its failure says nothing about the deployment or its host.
   */
  readonly isFile?: boolean;
}

export interface JourneyRateLimiter {
  /**
   * Makes the call when a token is available. Throws the call's own error, the signal's reason, or
   * a `JourneyProblem` of the kind `throttled` when the call was not made.
   *
   * @param baseUrl the deployment's; deployments of one host share a rate, too
   */
  run<T>(baseUrl: string, call: () => Promise<T>, options?: RateLimiterCallOptions): Promise<T>;
  /**
   * Resolves when this deployment's op-log may be polled: once a second on average, across all
   * callers. One poll may be ahead, so that a webhook need not wait for the rest of a second.
   */
  waitForOpLog(baseUrl: string, options?: RateLimiterCallOptions): Promise<void>;
  /**
   * Reserves the next idle poll of a host and returns its delay in milliseconds. Idle polls ask
   * deployments without recent changes for new ones: ten a second for up to ninety deployments,
   * then each deployment every nine seconds. They use at most half of the host's rate, in the order
   * of the reservations, so that the rest stays available for data.
   */
  reserveIdlePoll(baseUrl: string): number;
  /**
   * Allows a call to this deployment at once: ends the pause that Journey requested, and lets the
   * circuit breakers make a probe.
   */
  tryNow(baseUrl: string): void;
  /**
   * Calls the listener when this deployment's host responds again after its circuit breaker was
   * open. Returns a function that removes the listener.
   */
  onHostRecovered(baseUrl: string, listener: () => void): () => void;
}

/** Failures that show an unhealthy host; all other failures show that it responds. */
const unhealthyKinds: ReadonlySet<JourneyFailureKind> = new Set([
  'server-error',
  'unreachable',
  'no-response',
  'unexpected-response',
]);

/** While a host is called, a failure older than this says nothing about it any more. */
const agreementMs = 60_000;

/** How soon a waiting call notices that a pause was ended. */
const pauseCheckMs = 250;

/** The time between two idle polls of a deployment: per deployment of its host, and at most. */
const idlePoll = { eachMs: 100, maxMs: 9_000 };

interface Deployment {
  readonly queue: FairQueue;
  readonly breaker: CircuitBreaker;
  /** The end of the pause that Journey requested. */
  pausedUntilMs: number;
  /** When its last call failed; null when it did not fail. */
  failedAtMs: number | null;
}

interface Host {
  readonly name: string;
  readonly queue: FairQueue;
  readonly breaker: CircuitBreaker;
  /** By base URL. */
  readonly deployments: Map<string, Deployment>;
  readonly listeners: Set<() => void>;
  /** The time of the next idle poll that is not reserved. */
  nextIdlePollAtMs: number;
}

export function createJourneyRateLimiter(options: JourneyRateLimiterOptions = {}): JourneyRateLimiter {
  const { clock = steadyClock, maxWaitMs = 2_000, maxFailures = 5, random = Math.random } = options;
  const { rate = { perSecond: 20, burst: 20 }, hostRate = { perSecond: 250, burst: 250 } } = options;
  const { breakerBackoff: backoff = { initialMs: 1_000, maxMs: 4_000 } } = options;
  const hosts = new Map<string, Host>();
  const opLogQueues = new Map<string, FairQueue>();

  const createBreaker = () => createCircuitBreaker({ maxFailures, backoff, random });
  const createHost = (name: string): Host => ({
    name,
    queue: createFairQueue(createTokenBucket(hostRate), clock),
    breaker: createBreaker(),
    deployments: new Map(),
    listeners: new Set(),
    nextIdlePollAtMs: 0,
  });
  const getHost = (baseUrl: string): Host => {
    const name = new URL(baseUrl).host;
    return getOrCreate(hosts, name, () => createHost(name));
  };
  const getDeployment = (host: Host, baseUrl: string): Deployment =>
    getOrCreate(host.deployments, new URL(baseUrl).href, () => ({
      queue: createFairQueue(createTokenBucket(rate), clock, host.queue),
      breaker: createBreaker(),
      pausedUntilMs: Number.NEGATIVE_INFINITY,
      failedAtMs: null,
    }));
  const createOpLogQueue = () => createFairQueue(createTokenBucket({ perSecond: 1, burst: 2 }), clock);

  return {
    async run(baseUrl, call, { signal, isFile = false } = {}) {
      const host = getHost(baseUrl);
      const deployment = getDeployment(host, baseUrl);
      const permits = await acquirePermits(host, deployment, signal);
      try {
        const result = await call();
        report(host, deployment, permits, undefined);
        return result;
      } catch (error) {
        report(host, deployment, permits, isFile ? aboutFile : error);
        throw error;
      }
    },
    async waitForOpLog(baseUrl, { signal } = {}) {
      const queue = getOrCreate(opLogQueues, new URL(baseUrl).href, createOpLogQueue);
      await queue.acquire(Number.POSITIVE_INFINITY, signal);
    },
    reserveIdlePoll(baseUrl) {
      const host = getHost(baseUrl);
      const nowMs = clock.nowMs();
      const intervalMs = Math.min(idlePoll.eachMs * host.deployments.size, idlePoll.maxMs);
      const atMs = Math.max(nowMs + intervalMs, host.nextIdlePollAtMs);
      host.nextIdlePollAtMs = atMs + 2_000 / hostRate.perSecond;
      return atMs - nowMs;
    },
    tryNow(baseUrl) {
      const host = getHost(baseUrl);
      const deployment = getDeployment(host, baseUrl);
      deployment.pausedUntilMs = Number.NEGATIVE_INFINITY;
      deployment.breaker.allowProbe(clock.nowMs());
      host.breaker.allowProbe(clock.nowMs());
    },
    onHostRecovered(baseUrl, listener) {
      const { listeners } = getHost(baseUrl);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  async function acquirePermits(host: Host, deployment: Deployment, signal: AbortSignal | undefined): Promise<Permits> {
    rejectIfOpen(host, deployment);
    await waitForPause(host, deployment, signal);
    const throttledMs = await deployment.queue.acquire(maxWaitMs, signal);
    if (throttledMs > 0) throw createThrottledProblem(`Calls to Journey ${host.name} are at their limit`, throttledMs);
    // While this call waited, Journey may have requested a pause, or a breaker may have opened.
    const nowMs = clock.nowMs();
    if (deployment.pausedUntilMs > nowMs) throw createPauseProblem(host.name, deployment.pausedUntilMs - nowMs);
    rejectIfOpen(host, deployment);
    const permits = { host: host.breaker.tryAcquire(nowMs), deployment: deployment.breaker.tryAcquire(nowMs) };
    if (!permits.host || !permits.deployment) throw new Error('A closed circuit breaker gave no permit.');
    return { host: permits.host, deployment: permits.deployment };
  }

  function rejectIfOpen({ name, breaker }: Host, deployment: Deployment): void {
    const nowMs = clock.nowMs();
    const hostMs = breaker.waitMs(nowMs);
    if (hostMs > 0) throw createBreakerProblem(`Journey ${name}`, hostMs);
    const deploymentMs = deployment.breaker.waitMs(nowMs);
    if (deploymentMs > 0) throw createBreakerProblem(`This deployment of Journey ${name}`, deploymentMs);
  }

  async function waitForPause({ name }: Host, deployment: Deployment, signal: AbortSignal | undefined): Promise<void> {
    const latestMs = clock.nowMs() + maxWaitMs;
    for (;;) {
      const nowMs = clock.nowMs();
      const { pausedUntilMs } = deployment;
      if (pausedUntilMs <= nowMs) return;
      if (pausedUntilMs > latestMs) throw createPauseProblem(name, pausedUntilMs - nowMs);
      await clock.waitUntil(Math.min(pausedUntilMs, nowMs + pauseCheckMs), signal);
    }
  }

  /** @param error undefined when the call succeeded */
  function report(host: Host, deployment: Deployment, permits: Permits, error: unknown): void {
    const nowMs = clock.nowMs();
    const outcome = error === undefined ? 'alive' : toOutcome(error);
    if (outcome !== 'unknown') deployment.failedAtMs = outcome === 'failed' ? nowMs : null;
    // A pause that was requested for one file, possibly by another host, delays nothing else.
    const requestedMs =
      error instanceof JourneyProblem && error.failure.kind !== 'file-failed' ? requestedDelayMs(error.failure) : 0;
    if (requestedMs > 0) deployment.pausedUntilMs = Math.max(deployment.pausedUntilMs, nowMs + requestedMs);
    permits.deployment.report(outcome, nowMs);
    const wasOpen = !host.breaker.isClosed;
    permits.host.report(outcome === 'failed' ? toHostOutcome(host, error, nowMs) : outcome, nowMs);
    if (!wasOpen || !host.breaker.isClosed) return;
    for (const { breaker } of host.deployments.values()) breaker.allowProbe(nowMs);
    for (const listener of host.listeners) listener();
  }
}

/** Stands for a failure that shows nothing, as that of an aborted call does. */
const aboutFile = Symbol('about a file');

interface Permits {
  readonly host: Permit;
  readonly deployment: Permit;
}

function toOutcome(problem: unknown): CallOutcome {
  if (!(problem instanceof JourneyProblem) || problem.failure.kind === 'file-failed') return 'unknown';
  return unhealthyKinds.has(problem.failure.kind) ? 'failed' : 'alive';
}

/**
 * A failure of one deployment alone is its own: the host was reached, and the others continue. Only
 * when several fail is it the host's.
 */
function toHostOutcome({ breaker, deployments }: Host, problem: unknown, nowMs: number): CallOutcome {
  if (problem instanceof JourneyProblem && problem.failure.kind === 'unreachable') return 'failed';
  const sinceMs = breaker.isClosed ? nowMs - agreementMs : Number.NEGATIVE_INFINITY;
  let failing = 0;
  for (const { failedAtMs } of deployments.values()) if (failedAtMs !== null && failedAtMs > sinceMs) failing += 1;
  return failing >= 2 ? 'failed' : 'alive';
}

/** @param name who failed, at the start of a sentence */
function createBreakerProblem(name: string, retryAfterMs: number): JourneyProblem {
  return createThrottledProblem(`${name} failed several times in a row`, retryAfterMs);
}

function createPauseProblem(host: string, retryAfterMs: number): JourneyProblem {
  return createThrottledProblem(`Journey ${host} asked for a pause of this deployment's calls`, retryAfterMs);
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
