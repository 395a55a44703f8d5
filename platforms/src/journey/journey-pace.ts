/**
 * How fast we go towards Journey, whichever integration asks: one of these per process. Per host no
 * more calls than it allows, none while it wants to be left alone, and one now and then while it
 * does not answer. Nothing waits long here: what would is sent back (`held-back`), so that a host
 * in trouble does not hold the hands that others need.
 */
import type { Backoff } from '@portal/kit/backoff';
import { type CircuitBreaker, createCircuitBreaker, type Passage, type PassageOutcome } from './circuit-breaker.ts';
import { type JourneyFailureKind, JourneyProblem } from './journey-problem.ts';
import { askedWaitMs } from './retry-wait.ts';
import { type SteadyClock, steadyClock } from './steady-clock.ts';
import { createTokenBucket, type TokenBucket, type TokenBucketRate } from './token-bucket.ts';
import { createTurnstile, type Turnstile } from './turnstile.ts';

export interface JourneyPaceOptions {
  /**
   * Of each host; 20 a second and as many at once when left out. A deployment's own limit is not
   * public.
   */
  readonly rate?: TokenBucketRate;
  /** Longer than this nobody waits for the host's turn; 2 s when left out. */
  readonly mostWaitMs?: number;
  /** Failures in a row, after which a host is spared; 5 when left out. */
  readonly mostFailures?: number;
  /** How long it is spared: from 1 s to 1 min when left out. */
  readonly sparing?: Backoff;
  readonly clock?: SteadyClock;
  readonly random?: () => number;
}

interface PaceCallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface JourneyPace {
  /**
   * Makes the call when it is its turn. Throws what it throws, the signal's reason, or a
   * `JourneyProblem` of the kind `held-back` when the call was not made.
   *
   * @param baseUrl Of the deployment; deployments of one host share their pace.
   */
  run<T>(baseUrl: string, call: () => Promise<T>, options?: PaceCallOptions): Promise<T>;
  /**
   * Returns when this deployment's op-log may be asked again: for all who wait, at most once a
   * second.
   */
  waitForOpLog(baseUrl: string, options?: PaceCallOptions): Promise<void>;
  /**
   * In how many milliseconds it is the turn of a deployment of which nothing has come for a while
   * to be asked for news; the turn is taken. Such questions have half of the calls a host allows,
   * in the order they wanted to be asked in: the rest is for what is to be carried, however many
   * there are.
   */
  takeQuietTurn(baseUrl: string): number;
}

/** A host that says any of this is not well; other problems show that it is there and answers. */
const signsOfTrouble: ReadonlySet<JourneyFailureKind> = new Set([
  'server-trouble',
  'unreachable',
  'no-answer',
  'unexpected-answer',
]);

interface Host {
  readonly name: string;
  readonly bucket: TokenBucket;
  readonly turnstile: Turnstile;
  readonly breaker: CircuitBreaker;
  /** When the next quiet deployment may be asked. */
  quietAtMs: number;
}

export function createJourneyPace(options: JourneyPaceOptions = {}): JourneyPace {
  const { clock = steadyClock, mostWaitMs = 2_000, mostFailures = 5, random = Math.random } = options;
  const { rate = { perSecond: 20, burst: 20 }, sparing: backoff = { initialMs: 1_000, maxMs: 60_000 } } = options;
  const hosts = new Map<string, Host>();
  const opLogs = new Map<string, Turnstile>();

  const hostOf = (name: string): Host => {
    const bucket = createTokenBucket(rate);
    const breaker = createCircuitBreaker({ mostFailures, backoff, random });
    return { name, bucket, turnstile: createTurnstile(bucket, clock), breaker, quietAtMs: 0 };
  };
  const hostAt = (baseUrl: string): Host => {
    const name = new URL(baseUrl).host;
    return found(hosts, name, () => hostOf(name));
  };
  const opLogTurnstile = () => createTurnstile(createTokenBucket({ perSecond: 1, burst: 1 }), clock);

  return {
    async run(baseUrl, call, { signal } = {}) {
      const host = hostAt(baseUrl);
      const passage = await enter(host, signal);
      let outcome: PassageOutcome = 'unknown';
      try {
        const answer = await call();
        outcome = 'alive';
        return answer;
      } catch (error) {
        outcome = outcomeOf(error);
        const askedMs = error instanceof JourneyProblem ? askedWaitMs(error.failure) : 0;
        if (askedMs > 0) host.bucket.pauseUntil(clock.nowMs() + askedMs);
        throw error;
      } finally {
        passage.settle(outcome, clock.nowMs());
      }
    },
    async waitForOpLog(baseUrl, { signal } = {}) {
      const turnstile = found(opLogs, new URL(baseUrl).href, opLogTurnstile);
      await turnstile.pass(Number.POSITIVE_INFINITY, signal);
    },
    takeQuietTurn(baseUrl) {
      const host = hostAt(baseUrl);
      const nowMs = clock.nowMs();
      const atMs = Math.max(nowMs, host.quietAtMs);
      host.quietAtMs = atMs + 2_000 / rate.perSecond;
      return atMs - nowMs;
    },
  };

  async function enter({ name, turnstile, breaker }: Host, signal: AbortSignal | undefined): Promise<Passage> {
    const sparedMs = breaker.waitMs(clock.nowMs());
    if (sparedMs > 0) throw spared(name, sparedMs);
    const heldBackMs = await turnstile.pass(mostWaitMs, signal);
    if (heldBackMs > 0) throw heldBack(`Journey ${name} takes no more calls for now`, heldBackMs);
    // Others may have learned something while this one waited.
    const nowMs = clock.nowMs();
    const passage = breaker.enter(nowMs);
    if (!passage) throw spared(name, breaker.waitMs(nowMs));
    return passage;
  }
}

function outcomeOf(problem: unknown): PassageOutcome {
  if (!(problem instanceof JourneyProblem)) return 'unknown';
  return signsOfTrouble.has(problem.failure.kind) ? 'failed' : 'alive';
}

function spared(name: string, retryAfterMs: number): JourneyProblem {
  return heldBack(`Journey ${name} has not answered as it should several times in a row`, retryAfterMs);
}

function heldBack(why: string, retryAfterMs: number): JourneyProblem {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new JourneyProblem(`${why}; the next call may go in ${seconds} s.`, { kind: 'held-back', retryAfterMs });
}

function found<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = create();
  map.set(key, made);
  return made;
}
