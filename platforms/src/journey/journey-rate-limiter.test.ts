import { steadyClock } from '@portal/kit/concurrency/steady-clock';
import { createTestClock } from '@portal/kit/concurrency/test-clock.fixture';
import type { TokenBucketRate } from '@portal/kit/concurrency/token-bucket';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JourneyFailure, JourneyProblem } from './journey-problem.ts';
import { createJourneyRateLimiter, type JourneyRateLimiterOptions } from './journey-rate-limiter.ts';

const host = 'https://run-us.journeyapps.com/api/v4';
const [one, other, third] = [`${host}/1/`, `${host}/2/`, `${host}/3/`];
const elsewhere = 'https://run-eu.journeyapps.com/api/v4/1/';

const rateLimited: JourneyFailure = { kind: 'rate-limited', retryAfterMs: 3_000 };
const down: JourneyFailure = { kind: 'unreachable' };
const silent: JourneyFailure = { kind: 'no-response', timedOut: true };
const fails = (failure: JourneyFailure) => () => Promise.reject(new JourneyProblem('no', failure));
const works = async () => 'done';

/** The outcome of a call: its result, or the failure's kind. */
function catchEnd(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => (error instanceof JourneyProblem ? error.failure.kind : error));
}

function createLimiter(options: JourneyRateLimiterOptions = {}) {
  const clock = createTestClock();
  return { clock, rateLimiter: createJourneyRateLimiter({ clock, random: () => 0, ...options }) };
}

const calls = fc.array(
  fc.record({
    baseUrl: fc.constantFrom(one, other),
    atMs: fc.nat({ max: 10_000 }),
    tookMs: fc.nat({ max: 2_000 }),
    failure: fc.constantFrom<JourneyFailure | undefined>(
      undefined,
      undefined,
      rateLimited,
      { kind: 'server-error', status: 503, retryAfterMs: 1_500 },
      { kind: 'not-found', type: 'OBJECT_NOT_FOUND' },
    ),
    mayBeGivenUpAtMs: fc.option(fc.nat({ max: 12_000 })),
  }),
  { maxLength: 60 },
);
/** The tolerance for sums of fractions. */
const tinyMs = 1e-6;

function expectWithin({ perSecond, burst }: TokenBucketRate, begun: readonly { readonly fromMs: number }[]): void {
  for (const [index, { fromMs }] of begun.entries())
    for (const [further, { fromMs: atMs }] of begun.slice(index).entries())
      expect(further + 1).toBeLessThanOrEqual(burst + ((atMs - fromMs) * perSecond) / 1000 + tinyMs);
}

const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 10 }) });

it('never exceeds the rate of a deployment or a host, and calls no deployment while it asks for a pause', async () => {
  await fc.assert(
    fc.asyncProperty(calls, rates, rates, fc.nat({ max: 3_000 }), async (all, rate, hostRate, maxWaitMs) => {
      const { clock, rateLimiter } = createLimiter({ rate, hostRate, maxWaitMs, maxFailures: 1_000 });
      const begun: { readonly baseUrl: string; readonly fromMs: number }[] = [];
      const pauses: { baseUrl: string; fromMs: number; untilMs: number }[] = [];
      const ends = all.map(async ({ baseUrl, atMs, tookMs, failure, mayBeGivenUpAtMs }) => {
        const giveUp = new AbortController();
        if (mayBeGivenUpAtMs !== null) void clock.waitUntil(mayBeGivenUpAtMs).then(() => giveUp.abort('aborted'));
        await clock.waitUntil(atMs);
        const call = async () => {
          begun.push({ baseUrl, fromMs: clock.nowMs() });
          await clock.waitUntil(clock.nowMs() + tookMs);
          if (!failure) return 'done';
          const askedMs = ('retryAfterMs' in failure ? failure.retryAfterMs : 0) ?? 0;
          pauses.push({ baseUrl, fromMs: clock.nowMs(), untilMs: clock.nowMs() + askedMs });
          throw new JourneyProblem('no', failure);
        };
        return catchEnd(rateLimiter.run(baseUrl, call, { signal: giveUp.signal }));
      });
      await clock.advance();
      for (const end of await Promise.all(ends)) {
        expect(['done', 'aborted', 'throttled', 'rate-limited', 'server-error', 'not-found']).toContain(end);
      }
      expectWithin(hostRate, begun);
      for (const one of [...new Set(begun.map(({ baseUrl }) => baseUrl))]) {
        const ofOne = begun.filter(({ baseUrl }) => baseUrl === one);
        expectWithin(rate, ofOne);
        const ownPauses = pauses.filter(({ baseUrl }) => baseUrl === one);
        for (const { fromMs } of ofOne)
          for (const pause of ownPauses) expect(fromMs > pause.fromMs && fromMs < pause.untilMs - tinyMs).toBe(false);
      }
    }),
  );
});

describe('rate limit', () => {
  it('applies to each deployment', async () => {
    const { rateLimiter } = createLimiter({ rate: { perSecond: 1, burst: 1 }, maxWaitMs: 500 });
    expect(await rateLimiter.run(one, works)).toBe('done');
    expect(await catchEnd(rateLimiter.run(one, works))).toBe('throttled');
    expect(await rateLimiter.run(other, works)).toBe('done');
  });

  it('applies to all deployments of a host together, but not to other hosts', async () => {
    const { clock, rateLimiter } = createLimiter({ hostRate: { perSecond: 1, burst: 1 }, maxWaitMs: 500 });
    expect(await rateLimiter.run(one, works)).toBe('done');
    expect(await catchEnd(rateLimiter.run(other, works))).toBe('throttled');
    expect(await rateLimiter.run(elsewhere, works)).toBe('done');
    await clock.advance();
  });

  it('lets the deployments of a host take turns', async () => {
    const { clock, rateLimiter } = createLimiter({ hostRate: { perSecond: 1, burst: 1 }, maxWaitMs: 10_000 });
    const begun: string[] = [];
    const run = (baseUrl: string) => rateLimiter.run(baseUrl, async () => begun.push(baseUrl));
    const all = [...Array.from({ length: 4 }, () => run(one)), run(other), run(third)];
    await clock.advance();
    await Promise.all(all);
    // The first needs no turn, and the second was there before the others.
    expect(begun).toEqual([one, one, other, third, one, one]);
  });

  it('rejects a call that would wait too long, with the time of the next attempt', async () => {
    const { clock, rateLimiter } = createLimiter({ rate: { perSecond: 1, burst: 1 }, maxWaitMs: 1_500 });
    const waiting = [rateLimiter.run(one, works), rateLimiter.run(one, works)];
    await expect(rateLimiter.run(one, works)).rejects.toMatchObject({
      failure: { kind: 'throttled', retryAfterMs: 2_000 },
      mayBeApplied: false,
      message: 'Calls to Journey run-us.journeyapps.com are at their limit; next attempt in 2 s.',
    });
    await clock.advance();
    expect(await Promise.all(waiting)).toEqual(['done', 'done']);
  });

  it('ignores aborted calls', async () => {
    const { clock, rateLimiter } = createLimiter({ rate: { perSecond: 1, burst: 1 } });
    const giveUp = new AbortController();
    await rateLimiter.run(one, works);
    const waiting = rateLimiter.run(one, works, { signal: giveUp.signal });
    giveUp.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(rateLimiter.run(one, works, { signal: giveUp.signal })).rejects.toThrow('stop');
    await clock.advance();
  });
});

describe('requested pause', () => {
  it('pauses the deployment that asked for it, including its queued calls, and no other', async () => {
    const { clock, rateLimiter } = createLimiter({ rate: { perSecond: 1, burst: 1 }, maxWaitMs: 1_000 });
    const first = catchEnd(rateLimiter.run(one, fails(rateLimited)));
    const second = catchEnd(rateLimiter.run(one, works));
    expect(await first).toBe('rate-limited');
    await expect(rateLimiter.run(one, works)).rejects.toMatchObject({
      failure: { kind: 'throttled', retryAfterMs: 3_000 },
      message: "Journey run-us.journeyapps.com asked for a pause of this deployment's calls; next attempt in 3 s.",
    });
    await clock.advance();
    expect(await second).toBe('throttled');
    const ofOther = rateLimiter.run(other, works);
    await clock.advance();
    expect(await ofOther).toBe('done');
    expect(clock.nowMs()).toBeLessThan(3_000);
    const later = clock.waitUntil(3_000);
    await clock.advance();
    await later;
    expect(await rateLimiter.run(one, works)).toBe('done');
  });

  it('does not follow from the failures of files, which do not open a breaker either', async () => {
    const { rateLimiter } = createLimiter({ maxFailures: 2 });
    const failure = { kind: 'file-failed', retryAfterMs: 60_000 } as const;
    for (let file = 0; file < 5; file++)
      expect(await catchEnd(rateLimiter.run(one, fails(failure)))).toBe(failure.kind);
    expect(await rateLimiter.run(one, works)).toBe('done');
    expect(await catchEnd(rateLimiter.run(one, fails(down)))).toBe('unreachable');
    expect(await catchEnd(rateLimiter.run(one, fails(failure)))).toBe(failure.kind);
    expect(await catchEnd(rateLimiter.run(one, fails(down)))).toBe('unreachable');
    expect(await catchEnd(rateLimiter.run(one, works))).toBe('throttled');
  });

  it('lets calls wait for the end of a short pause', async () => {
    const { clock, rateLimiter } = createLimiter();
    expect(await catchEnd(rateLimiter.run(one, fails({ kind: 'rate-limited', retryAfterMs: 1_000 })))).toBe(
      'rate-limited',
    );
    const waiting = rateLimiter.run(one, async () => clock.nowMs());
    await clock.advance();
    expect(await waiting).toBe(1_000);
  });

  it('ends at once on "Try now"', async () => {
    const { rateLimiter } = createLimiter();
    expect(await catchEnd(rateLimiter.run(one, fails({ kind: 'rate-limited', retryAfterMs: 300_000 })))).toBe(
      'rate-limited',
    );
    expect(await catchEnd(rateLimiter.run(one, works))).toBe('throttled');
    rateLimiter.tryNow(other);
    expect(await catchEnd(rateLimiter.run(one, works))).toBe('throttled');
    rateLimiter.tryNow(one);
    expect(await rateLimiter.run(one, works)).toBe('done');
  });

  it('ends within a second on "Try now" for a call that is already waiting', async () => {
    const { clock, rateLimiter } = createLimiter();
    expect(await catchEnd(rateLimiter.run(one, fails({ kind: 'rate-limited', retryAfterMs: 2_000 })))).toBe(
      'rate-limited',
    );
    const waiting = rateLimiter.run(one, async () => clock.nowMs());
    rateLimiter.tryNow(one);
    await clock.advance();
    expect(await waiting).toBeLessThan(1_000);
  });
});

describe('circuit breaker', () => {
  async function createBreakerProblem() {
    const { clock, rateLimiter } = createLimiter({ maxFailures: 3 });
    for (let call = 0; call < 3; call++) expect(await catchEnd(rateLimiter.run(one, fails(down)))).toBe('unreachable');
    return { clock, rateLimiter };
  }

  it('rejects calls to an unreachable host for all of its deployments', async () => {
    const { rateLimiter } = await createBreakerProblem();
    await expect(rateLimiter.run(other, works)).rejects.toMatchObject({
      failure: { kind: 'throttled', retryAfterMs: 1_000 },
      message: 'Journey run-us.journeyapps.com failed several times in a row; next attempt in 1 s.',
    });
    expect(await rateLimiter.run(elsewhere, works)).toBe('done');
  });

  it('rejects only the calls of a deployment that fails alone', async () => {
    const { rateLimiter } = createLimiter({ maxFailures: 3 });
    for (let call = 0; call < 3; call++)
      expect(await catchEnd(rateLimiter.run(one, fails(silent)))).toBe('no-response');
    await expect(rateLimiter.run(one, works)).rejects.toMatchObject({
      failure: { kind: 'throttled', retryAfterMs: 1_000 },
      message: 'This deployment of Journey run-us.journeyapps.com failed several times in a row; next attempt in 1 s.',
    });
    expect(await rateLimiter.run(other, works)).toBe('done');
  });

  it('rejects the calls of every deployment when several of a host fail', async () => {
    const { rateLimiter } = createLimiter({ maxFailures: 3 });
    for (let call = 0; call < 2; call++) {
      expect(await catchEnd(rateLimiter.run(one, fails(silent)))).toBe('no-response');
      expect(await catchEnd(rateLimiter.run(other, fails(silent)))).toBe('no-response');
    }
    expect(await catchEnd(rateLimiter.run(third, works))).toBe('throttled');
  });

  it('reports that a spared host has recovered, and lets every deployment call it again', async () => {
    const { clock, rateLimiter } = createLimiter({ maxFailures: 1 });
    let recoveries = 0;
    const remove = rateLimiter.onHostRecovered(other, () => {
      recoveries += 1;
    });
    expect(await rateLimiter.run(one, works)).toBe('done');
    for (const baseUrl of [one, other])
      expect(await catchEnd(rateLimiter.run(baseUrl, fails(silent)))).toBe('no-response');
    rateLimiter.tryNow(one);
    expect(recoveries).toBe(0);
    expect(await rateLimiter.run(one, works)).toBe('done');
    expect(recoveries).toBe(1);
    expect(await rateLimiter.run(other, works)).toBe('done');
    remove();
    expect(clock.nowMs()).toBe(0);
  });

  it('allows a probe on "Try now", even while another one hangs', async () => {
    const { rateLimiter } = await createBreakerProblem();
    rateLimiter.tryNow(one);
    const hanging = rateLimiter.run(one, () => new Promise(() => undefined));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await catchEnd(rateLimiter.run(one, works))).toBe('throttled');
    rateLimiter.tryNow(one);
    expect(await rateLimiter.run(one, works)).toBe('done');
    void hanging;
  });

  it('probes a spared host at least every five seconds', async () => {
    const { clock, rateLimiter } = createLimiter({ maxFailures: 1, random: () => 0.999_999 });
    for (let probe = 0; probe < 8; probe++) {
      const end = catchEnd(rateLimiter.run(one, fails(down)));
      await clock.advance();
      expect(await end).toBe('unreachable');
      const later = clock.waitUntil(clock.nowMs() + 5_000);
      await clock.advance();
      await later;
    }
  });

  it('lets one probe through, and then all calls', async () => {
    const { clock, rateLimiter } = await createBreakerProblem();
    const later = clock.waitUntil(1_000);
    await clock.advance();
    await later;
    let made = 0;
    const probe = () => {
      made += 1;
      return clock.waitUntil(1_200);
    };
    const ends = Promise.all(Array.from({ length: 10 }, () => catchEnd(rateLimiter.run(one, probe))));
    await clock.advance();
    expect((await ends).filter((end) => end === 'throttled')).toHaveLength(9);
    expect(made).toBe(1);
    expect(await Promise.all([rateLimiter.run(one, works), rateLimiter.run(other, works)])).toEqual(['done', 'done']);
  });

  it('stays closed when a host refuses calls; only failures count', async () => {
    const { rateLimiter } = createLimiter({ maxFailures: 2 });
    for (const failure of [
      down,
      { kind: 'credentials-rejected' },
      down,
      { kind: 'invalid-request', type: 'X' },
      down,
    ] as const) {
      expect(await catchEnd(rateLimiter.run(one, fails(failure)))).toBe(failure.kind);
    }
    expect(await rateLimiter.run(one, works)).toBe('done');
    const bug = () => Promise.reject(new Error('a portal bug'));
    for (let call = 0; call < 5; call++) await expect(rateLimiter.run(one, bug)).rejects.toThrow('a portal bug');
    expect(await rateLimiter.run(one, works)).toBe('done');
  });
});

it('judges neither a deployment nor its host by the failed download of a file', async () => {
  const { rateLimiter } = createLimiter({ maxFailures: 2 });
  for (const failure of [rateLimited, down, silent, down])
    await catchEnd(rateLimiter.run(one, fails(failure), { isFile: true }));
  expect(await rateLimiter.run(one, works)).toBe('done');
  expect(await rateLimiter.run(other, works)).toBe('done');
});

it('polls the op-log of each deployment once a second, and one time ahead of that', async () => {
  const { clock, rateLimiter } = createLimiter();
  const polls: [string, number][] = [];
  const pollIdle = async (baseUrl: string) => {
    await rateLimiter.waitForOpLog(baseUrl);
    polls.push([baseUrl, clock.nowMs()]);
  };
  const all = [one, one, other, one].map(pollIdle);
  await clock.advance();
  await Promise.all(all);
  expect(polls).toEqual([
    [one, 0],
    [one, 0],
    [other, 0],
    [one, 1_000],
  ]);
  const giveUp = new AbortController();
  const waiting = rateLimiter.waitForOpLog(one, { signal: giveUp.signal });
  giveUp.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
});

it('polls every idle deployment of a host within ten seconds', async () => {
  const { clock, rateLimiter } = createLimiter();
  const polls: number[] = [];
  const idle = Array.from({ length: 1_000 }, async (_, no) => {
    const baseUrl = `${host}/quiet${no}/`;
    await clock.waitUntil(no * 10);
    for (let poll = 0; poll < 4; poll++) {
      await rateLimiter.run(baseUrl, works);
      const fromMs = clock.nowMs();
      await clock.waitUntil(fromMs + rateLimiter.reserveIdlePoll(baseUrl));
      polls.push(clock.nowMs() - fromMs);
    }
  });
  await clock.advance();
  await Promise.all(idle);
  expect(Math.max(...polls)).toBeLessThanOrEqual(10_000);
  expect(Math.min(...polls.slice(-1_000))).toBeGreaterThan(8_000);
});

it('spreads idle polls of a host evenly over half of its rate', async () => {
  const { clock, rateLimiter } = createLimiter({ hostRate: { perSecond: 20, burst: 20 } });
  expect([one, other, one, elsewhere].map((baseUrl) => rateLimiter.reserveIdlePoll(baseUrl))).toEqual([0, 100, 200, 0]);
  void clock.waitUntil(250);
  await clock.advance();
  expect(rateLimiter.reserveIdlePoll(other)).toBe(50);
  void clock.waitUntil(5_000);
  await clock.advance();
  expect(rateLimiter.reserveIdlePoll(one)).toBe(0);
  // Now the host has three deployments.
  for (const baseUrl of [one, other, third]) await rateLimiter.run(baseUrl, works);
  expect([one, other, third].map((baseUrl) => rateLimiter.reserveIdlePoll(baseUrl))).toEqual([300, 400, 500]);
});

it('never delays writes because of idle polls, however many deployments a host has', async () => {
  const { clock, rateLimiter } = createLimiter();
  const quiet = Array.from({ length: 300 }, async (_, no) => {
    const baseUrl = `${host}/quiet${no}/`;
    for (let poll = 0; poll < 3; poll++) {
      await clock.waitUntil(clock.nowMs() + rateLimiter.reserveIdlePoll(baseUrl));
      await rateLimiter.run(baseUrl, works);
    }
  });
  const writes = Array.from({ length: 400 }, async (_, at) => {
    await clock.waitUntil(at * 200);
    const fromMs = clock.nowMs();
    await rateLimiter.run(one, works);
    return clock.nowMs() - fromMs;
  });
  await clock.advance();
  await Promise.all(quiet);
  expect(Math.max(...(await Promise.all(writes)))).toBe(0);
});

it('releases queued calls at the normal rate after a stall', async () => {
  const { clock, rateLimiter } = createLimiter({ rate: { perSecond: 1, burst: 2 }, maxWaitMs: 10_000 });
  const begun: number[] = [];
  const all = Array.from({ length: 6 }, () => rateLimiter.run(one, async () => begun.push(clock.nowMs())));
  clock.stallUntil(3_500);
  await clock.advance();
  await Promise.all(all);
  expect(begun).toEqual([0, 0, 3_500, 3_500, 4_500, 5_500]);
});

describe('steady clock', () => {
  it('never wakes up early', async () => {
    for (const waitMs of [0.2, 1, 2.7, 5]) {
      const atMs = steadyClock.nowMs() + waitMs;
      await steadyClock.waitUntil(atMs);
      expect(steadyClock.nowMs()).toBeGreaterThanOrEqual(atMs);
    }
  });

  it('ends a wait with the signal’s reason', async () => {
    const giveUp = new AbortController();
    const waiting = steadyClock.waitUntil(steadyClock.nowMs() + 60_000, giveUp.signal);
    giveUp.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(steadyClock.waitUntil(0, giveUp.signal)).rejects.toThrow('stop');
  });
});
