import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DatabaseSilence, defaultSilenceLimits } from './database-silence.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const limits = { noticedMs: 3_000, deadMs: 10_000 };

it('reports since when a database has been silent until it answers, and then closes its connections once per statement', async () => {
  const reports: (number | null)[] = [];
  const onDead = vi.fn();
  const silence = new DatabaseSilence(limits, onDead);
  silence.listen((sinceMs) => reports.push(sinceMs));
  let answer: (value: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const ask = () =>
    silence.watch(
      () =>
        new Promise<string>((resolve, reject) => {
          answer = resolve;
          fail = reject;
        }),
    );

  const quick = ask();
  vi.advanceTimersByTime(2_999);
  answer('here');
  expect(await quick).toBe('here');
  expect(reports).toEqual([]);

  const silent = ask();
  const failed = expect(silent).rejects.toThrow('closed');
  vi.advanceTimersByTime(3_000);
  expect(reports).toEqual([1_002_999]);
  vi.advanceTimersByTime(7_000);
  expect(onDead).toHaveBeenCalledTimes(1);
  fail(new Error('closed'));
  await failed;

  const late: (number | null)[] = [];
  silence.listen((sinceMs) => late.push(sinceMs));
  expect(late).toEqual([1_002_999]);
  const again = ask();
  vi.advanceTimersByTime(5_000);
  answer('back');
  await again;
  expect(reports).toEqual([1_002_999, null]);
  vi.advanceTimersByTime(60_000);
  expect(onDead).toHaveBeenCalledTimes(1);
});

it('notices a silence within 35 s, and leaves no connection to it for more than 10 s', () => {
  expect(defaultSilenceLimits.noticedMs).toBeLessThanOrEqual(35_000);
  expect(defaultSilenceLimits.deadMs).toBeLessThanOrEqual(10_000);
});
