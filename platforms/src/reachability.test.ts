import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Reachability, type ReachabilityOptions } from './reachability.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-23T14:55:30Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A system whose probes are answered only after `answer`. */
function startSystem(options: Partial<ReachabilityOptions> = {}) {
  let answers = false;
  const probedAt: number[] = [];
  const startedAt = performance.now();
  const reachability = new Reachability({
    name: 'The data source helium-app-3',
    async probe() {
      probedAt.push((performance.now() - startedAt) / 1000);
      if (!answers) throw new Error('silent');
    },
    ...options,
  });
  return {
    reachability,
    /** In seconds since the start. */
    probedAt,
    answer: () => {
      answers = true;
    },
    callWithoutAnswer: () => reachability.noteSilence(performance.now()),
  };
}

describe('Reachability', () => {
  it('states since when the system is silent, in the given time zone', () => {
    const { reachability, callWithoutAnswer } = startSystem({ timeZone: 'Africa/Johannesburg' });
    expect(() => reachability.requireAnswering()).not.toThrow();
    callWithoutAnswer();
    expect(() => reachability.requireAnswering()).toThrow('The data source helium-app-3 has not answered since 16:55.');
  });

  it('states the day of a silence that began on another day', () => {
    const { reachability, callWithoutAnswer } = startSystem();
    callWithoutAnswer();
    vi.setSystemTime(new Date('2026-11-24T00:00:00Z'));
    expect(reachability.silence?.message).toBe('The data source helium-app-3 has not answered since Mon 23 Nov 14:55.');
  });

  it('counts from the beginning of the first call without an answer', async () => {
    const { reachability } = startSystem();
    const startedAt = performance.now();
    await vi.advanceTimersByTimeAsync(60_000);
    reachability.noteSilence(startedAt);
    reachability.noteSilence(performance.now());
    expect(reachability.silence?.message).toContain('since 14:55');
  });

  it('is not silent when another call was answered since the call began', () => {
    const { reachability } = startSystem();
    const startedAt = performance.now();
    reachability.noteAnswer();
    reachability.noteSilence(startedAt);
    expect(reachability.silence).toBeUndefined();
  });

  it('probes after 2 s and then with pauses that double up to 30 s', async () => {
    const { probedAt, callWithoutAnswer } = startSystem();
    callWithoutAnswer();
    await vi.advanceTimersByTimeAsync(125_000);
    expect(probedAt).toEqual([2, 6, 14, 30, 60, 90, 120]);
  });

  it('sends one probe at a time, however many calls find the silence', async () => {
    let probes = 0;
    const { callWithoutAnswer, reachability } = startSystem({
      probe: () => {
        probes += 1;
        return new Promise(() => undefined);
      },
    });
    const startedAt = performance.now();
    await vi.advanceTimersByTimeAsync(5_000);
    reachability.noteAbandoned(startedAt);
    reachability.noteAbandoned(startedAt);
    expect(probes).toBe(1);
    callWithoutAnswer();
    callWithoutAnswer();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(probes).toBe(2);
  });

  it('ends the silence when a probe is answered, and probes no more', async () => {
    const { reachability, probedAt, answer, callWithoutAnswer } = startSystem();
    callWithoutAnswer();
    await vi.advanceTimersByTimeAsync(2_000);
    answer();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(reachability.silence).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(probedAt).toEqual([2, 6]);
  });

  it('ends the silence when a call that was already running is answered', async () => {
    const { reachability, probedAt, callWithoutAnswer } = startSystem();
    callWithoutAnswer();
    reachability.noteAnswer();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(reachability.silence).toBeUndefined();
    expect(probedAt).toEqual([]);
  });

  it('stops the waiting of callers when the system turns silent', async () => {
    const { reachability, callWithoutAnswer } = startSystem();
    const waiting = expect(reachability.untilSilent(new Promise(() => undefined))).rejects.toThrow('since 14:55');
    callWithoutAnswer();
    await waiting;
    await expect(reachability.untilSilent(Promise.resolve('done'))).resolves.toBe('done');
  });

  it('probes at once when a caller gave up after a long wait, but not after a short one', async () => {
    const { reachability, probedAt } = startSystem();
    const startedAt = performance.now();
    await vi.advanceTimersByTimeAsync(500);
    reachability.noteAbandoned(startedAt);
    expect(probedAt).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_500);
    reachability.noteAbandoned(startedAt);
    await vi.advanceTimersByTimeAsync(0);
    expect(probedAt).toEqual([4]);
    expect(reachability.silence?.message).toContain('since 14:55');
  });

  it('does not probe after it was stopped', async () => {
    const { reachability, probedAt, callWithoutAnswer } = startSystem();
    callWithoutAnswer();
    reachability.stop();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(probedAt).toEqual([]);
  });
});
