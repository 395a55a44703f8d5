import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJourneyPace, type JourneyPaceOptions } from './journey-pace.ts';
import { type JourneyFailure, JourneyProblem } from './journey-problem.ts';
import { steadyClock } from './steady-clock.ts';
import { createTestClock } from './test-clock.fixture.ts';

const host = 'https://run-us.journeyapps.com/api/v4';
const [one, other] = [`${host}/1/`, `${host}/2/`];
const elsewhere = 'https://run-eu.journeyapps.com/api/v4/1/';

const rateLimited: JourneyFailure = { kind: 'rate-limited', retryAfterMs: 3_000 };
const down: JourneyFailure = { kind: 'unreachable' };
const fails = (failure: JourneyFailure) => () => Promise.reject(new JourneyProblem('no', failure));
const works = async () => 'done';

/** What became of a call: its answer, or the failure's kind. */
function endOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => (error instanceof JourneyProblem ? error.failure.kind : error));
}

function paceWith(options: JourneyPaceOptions = {}) {
  const clock = createTestClock();
  return { clock, pace: createJourneyPace({ clock, random: () => 0, ...options }) };
}

const calls = fc.array(
  fc.record({
    atMs: fc.nat({ max: 10_000 }),
    tookMs: fc.nat({ max: 2_000 }),
    failure: fc.constantFrom<JourneyFailure | undefined>(
      undefined,
      undefined,
      rateLimited,
      { kind: 'server-trouble', status: 503, retryAfterMs: 1_500 },
      { kind: 'not-found', type: 'OBJECT_NOT_FOUND' },
    ),
    mayBeGivenUpAtMs: fc.option(fc.nat({ max: 12_000 })),
  }),
  { maxLength: 60 },
);
/** Sums of fractions differ by less. */
const tinyMs = 1e-6;
const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 10 }) });

it('no host is called faster than its rate, nor while it wants to be left alone', async () => {
  await fc.assert(
    fc.asyncProperty(calls, rates, fc.nat({ max: 3_000 }), async (all, rate, mostWaitMs) => {
      const { clock, pace } = paceWith({ rate, mostWaitMs, mostFailures: 1_000 });
      const begun: number[] = [];
      const pauses: { fromMs: number; untilMs: number }[] = [];
      const ends = all.map(async ({ atMs, tookMs, failure, mayBeGivenUpAtMs }) => {
        const giveUp = new AbortController();
        if (mayBeGivenUpAtMs !== null) void clock.waitUntil(mayBeGivenUpAtMs).then(() => giveUp.abort('given up'));
        await clock.waitUntil(atMs);
        const call = async () => {
          begun.push(clock.nowMs());
          await clock.waitUntil(clock.nowMs() + tookMs);
          if (!failure) return 'done';
          const askedMs = ('retryAfterMs' in failure ? failure.retryAfterMs : 0) ?? 0;
          pauses.push({ fromMs: clock.nowMs(), untilMs: clock.nowMs() + askedMs });
          throw new JourneyProblem('no', failure);
        };
        return endOf(pace.run(one, call, { signal: giveUp.signal }));
      });
      await clock.runOut();
      for (const end of await Promise.all(ends)) {
        expect(['done', 'given up', 'held-back', 'rate-limited', 'server-trouble', 'not-found']).toContain(end);
      }
      for (const [index, fromMs] of begun.entries()) {
        for (const [further, atMs] of begun.slice(index).entries()) {
          expect(further + 1).toBeLessThanOrEqual(rate.burst + ((atMs - fromMs) * rate.perSecond) / 1000 + tinyMs);
        }
        for (const pause of pauses) expect(fromMs > pause.fromMs && fromMs < pause.untilMs - tinyMs).toBe(false);
      }
    }),
  );
});

describe('the rate', () => {
  it('is shared by the deployments of a host, and by no other', async () => {
    const { clock, pace } = paceWith({ rate: { perSecond: 1, burst: 1 }, mostWaitMs: 500 });
    expect(await pace.run(one, works)).toBe('done');
    expect(await endOf(pace.run(other, works))).toBe('held-back');
    expect(await pace.run(elsewhere, works)).toBe('done');
    await clock.runOut();
  });

  it('sends back at once what would wait long, and says until when', async () => {
    const { clock, pace } = paceWith({ rate: { perSecond: 1, burst: 1 }, mostWaitMs: 1_500 });
    const waiting = [pace.run(one, works), pace.run(one, works)];
    await expect(pace.run(one, works)).rejects.toMatchObject({
      failure: { kind: 'held-back', retryAfterMs: 2_000 },
      mayBeApplied: false,
      message: 'Journey run-us.journeyapps.com takes no more calls for now; the next call may go in 2 s.',
    });
    await clock.runOut();
    expect(await Promise.all(waiting)).toEqual(['done', 'done']);
  });

  it('is not waited for any more by those who gave up', async () => {
    const { clock, pace } = paceWith({ rate: { perSecond: 1, burst: 1 } });
    const giveUp = new AbortController();
    await pace.run(one, works);
    const waiting = pace.run(one, works, { signal: giveUp.signal });
    giveUp.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(pace.run(one, works, { signal: giveUp.signal })).rejects.toThrow('stop');
    await clock.runOut();
  });
});

it('a host that was asked too often is left alone, by those too who wait for their turn', async () => {
  const { clock, pace } = paceWith({ rate: { perSecond: 1, burst: 1 }, mostWaitMs: 1_000 });
  const first = endOf(pace.run(one, fails(rateLimited)));
  const second = endOf(pace.run(other, works));
  expect(await first).toBe('rate-limited');
  // Three seconds for the host, and one for who came before.
  await expect(pace.run(one, works)).rejects.toMatchObject({ failure: { kind: 'held-back', retryAfterMs: 4_000 } });
  await clock.runOut();
  expect(await second).toBe('held-back');
  const later = clock.waitUntil(3_000);
  await clock.runOut();
  await later;
  expect(await pace.run(one, works)).toBe('done');
});

describe('a host that does not answer', () => {
  async function spared() {
    const { clock, pace } = paceWith({ mostFailures: 3 });
    for (let call = 0; call < 3; call++) expect(await endOf(pace.run(one, fails(down)))).toBe('unreachable');
    return { clock, pace };
  }

  it('is spared, whichever deployment is asked for', async () => {
    const { pace } = await spared();
    await expect(pace.run(other, works)).rejects.toMatchObject({
      failure: { kind: 'held-back', retryAfterMs: 1_000 },
      message:
        'Journey run-us.journeyapps.com has not answered as it should several times in a row; the next call may go in 1 s.',
    });
    expect(await pace.run(elsewhere, works)).toBe('done');
  });

  it('is tried by one call, and then by all', async () => {
    const { clock, pace } = await spared();
    const later = clock.waitUntil(1_000);
    await clock.runOut();
    await later;
    let made = 0;
    const probe = () => {
      made += 1;
      return clock.waitUntil(1_200);
    };
    const ends = Promise.all(Array.from({ length: 10 }, () => endOf(pace.run(one, probe))));
    await clock.runOut();
    expect((await ends).filter((end) => end === 'held-back')).toHaveLength(9);
    expect(made).toBe(1);
    expect(await Promise.all([pace.run(one, works), pace.run(other, works)])).toEqual(['done', 'done']);
  });

  it('is there when it refuses: only trouble counts', async () => {
    const { pace } = paceWith({ mostFailures: 2 });
    for (const failure of [
      down,
      { kind: 'credentials-refused' },
      down,
      { kind: 'invalid-request', type: 'X' },
      down,
    ] as const) {
      expect(await endOf(pace.run(one, fails(failure)))).toBe(failure.kind);
    }
    expect(await pace.run(one, works)).toBe('done');
    const bug = () => Promise.reject(new Error('a bug of ours'));
    for (let call = 0; call < 5; call++) await expect(pace.run(one, bug)).rejects.toThrow('a bug of ours');
    expect(await pace.run(one, works)).toBe('done');
  });
});

it('the op-log of each deployment is asked at most once a second', async () => {
  const { clock, pace } = paceWith();
  const asked: [string, number][] = [];
  const ask = async (baseUrl: string) => {
    await pace.waitForOpLog(baseUrl);
    asked.push([baseUrl, clock.nowMs()]);
  };
  const all = [one, one, other, one].map(ask);
  await clock.runOut();
  await Promise.all(all);
  expect(asked).toEqual([
    [one, 0],
    [other, 0],
    [one, 1_000],
    [one, 2_000],
  ]);
  const giveUp = new AbortController();
  const waiting = pace.waitForOpLog(one, { signal: giveUp.signal });
  giveUp.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
});

it('quiet deployments of a host are asked in turns, with half of the calls it allows, and not later than they must be', async () => {
  const { clock, pace } = paceWith({ rate: { perSecond: 20, burst: 20 } });
  expect([one, other, one, elsewhere].map((baseUrl) => pace.takeQuietTurn(baseUrl))).toEqual([0, 100, 200, 0]);
  void clock.waitUntil(250);
  await clock.runOut();
  expect(pace.takeQuietTurn(other)).toBe(50);
  void clock.waitUntil(5_000);
  await clock.runOut();
  expect(pace.takeQuietTurn(one)).toBe(0);
});

it('nothing that is to be carried waits for the quiet deployments of its host, however many there are', async () => {
  const { clock, pace } = paceWith();
  const quiet = Array.from({ length: 300 }, async (_, no) => {
    const baseUrl = `${host}/quiet${no}/`;
    for (let poll = 0; poll < 3; poll++) {
      await clock.waitUntil(clock.nowMs() + pace.takeQuietTurn(baseUrl));
      await pace.run(baseUrl, works);
    }
  });
  const writes = Array.from({ length: 400 }, async (_, at) => {
    await clock.waitUntil(at * 200);
    const fromMs = clock.nowMs();
    await pace.run(one, works);
    return clock.nowMs() - fromMs;
  });
  await clock.runOut();
  await Promise.all(quiet);
  expect(Math.max(...(await Promise.all(writes)))).toBe(0);
});

it('those who waited through a stall do not all go at once', async () => {
  const { clock, pace } = paceWith({ rate: { perSecond: 1, burst: 2 }, mostWaitMs: 10_000 });
  const begun: number[] = [];
  const all = Array.from({ length: 6 }, () => pace.run(one, async () => begun.push(clock.nowMs())));
  clock.stallUntil(3_500);
  await clock.runOut();
  await Promise.all(all);
  expect(begun).toEqual([0, 0, 3_500, 3_500, 4_500, 5_500]);
});

describe('the steady clock', () => {
  it('never wakes anybody early', async () => {
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
