import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { expect, test } from 'vitest';
import { RetryPolicy } from './retry-policy.ts';

const hourMs = 3_600_000;
const down = new JourneyProblem('no', { kind: 'unreachable' });
const running = new AbortController().signal;

test('ends a wait at once when an operator wants the next attempt now', async () => {
  const policy = new RetryPolicy();
  const waiting = policy.wait(hourMs, running);
  policy.retryNow();
  await waiting;
});

test('ends the wait of the other direction once the first call succeeds after a failure', async () => {
  const [failed, waits] = [new RetryPolicy(), new RetryPolicy()];
  failed.nextDelayMs(down);
  const waiting = waits.wait(hourMs, running);
  failed.recordSuccess(waits);
  await waiting;
});

test('wakes a loop that rests once the first call of the other direction succeeds after a failure', () => {
  let wakes = 0;
  const [failed, rests] = [new RetryPolicy(), new RetryPolicy(undefined, () => (wakes += 1))];
  failed.recordSuccess(rests);
  expect(wakes).toBe(0);
  failed.nextDelayMs(down);
  failed.recordSuccess(rests);
  expect(wakes).toBe(1);
});

test('leaves the wait of the other direction when nothing failed before the success', async () => {
  const [works, waits] = [new RetryPolicy(), new RetryPolicy()];
  const stop = new AbortController();
  let hasEnded = false;
  const waiting = waits.wait(hourMs, stop.signal).then(() => {
    hasEnded = true;
  });
  works.recordSuccess(waits);
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasEnded).toBe(false);
  stop.abort();
  await waiting;
});

test('starts with the shortest delay again after an early retry', () => {
  const policy = new RetryPolicy({ initialMs: 1, maxMs: hourMs });
  for (let failure = 0; failure < 20; failure += 1) policy.nextDelayMs(down);
  policy.retryNow();
  expect(policy.nextDelayMs(down)).toBeLessThanOrEqual(1);
});

test('has the first failures logged, and then some of them', () => {
  const policy = new RetryPolicy();
  const isLogged = Array.from({ length: 18 }, (_, index) => {
    policy.nextDelayMs(down);
    return policy.isLogged ? index + 1 : null;
  });
  expect(isLogged.filter((number) => number !== null)).toEqual([1, 2, 3, 4, 5, 6, 12, 18]);
});

test('does not wait longer with each call that the rate limiter rejects', () => {
  const policy = new RetryPolicy({ initialMs: 1, maxMs: hourMs });
  const throttled = new JourneyProblem('no', { kind: 'throttled', retryAfterMs: 500 });
  for (let failure = 0; failure < 40; failure += 1) policy.nextDelayMs(throttled);
  expect(policy.nextDelayMs(throttled)).toBeLessThanOrEqual(501);
});
