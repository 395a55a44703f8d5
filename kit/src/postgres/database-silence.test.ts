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

it('notices a silence that begins during longer work, and closes the connection that the work waits for', async () => {
  const reports: (number | null)[] = [];
  let closeAll: (error: Error) => void = () => undefined;
  const closed = new Promise<never>((_resolve, reject) => {
    closeAll = reject;
  });
  const silence = new DatabaseSilence(limits, () => closeAll(new Error('closed')));
  silence.listen((sinceMs) => reports.push(sinceMs));
  let answers = true;
  const statement = vi.fn(() => (answers ? Promise.resolve() : closed));

  const ended = expect(silence.watchDuring(closed, statement)).rejects.toThrow('closed');
  await vi.advanceTimersByTimeAsync(6_000);
  expect(statement).toHaveBeenCalledTimes(2);
  expect(reports).toEqual([]);
  answers = false;
  await vi.advanceTimersByTimeAsync(6_000);
  expect(reports).toEqual([1_009_000]);
  await vi.advanceTimersByTimeAsync(7_000);
  await ended;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(statement).toHaveBeenCalledTimes(3);
});

it('notices a silence within 35 s, and leaves no connection to it for more than 10 s', () => {
  expect(defaultSilenceLimits.noticedMs).toBeLessThanOrEqual(35_000);
  expect(defaultSilenceLimits.deadMs).toBeLessThanOrEqual(10_000);
});
