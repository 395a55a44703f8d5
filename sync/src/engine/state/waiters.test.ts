import { expect, test } from 'vitest';
import { Waiters } from './waiters.ts';

const never = new AbortController().signal;

test('resolves at once when the condition is already met', async () => {
  const waiters = new Waiters();
  await waiters.waitUntil(() => true, never);
  expect(waiters.isEmpty).toBe(true);
});

test('resumes the callers whose condition is met, and keeps the others waiting', async () => {
  const waiters = new Waiters();
  let value = 0;
  const reached: number[] = [];
  const waits = [1, 2].map(async (target) => {
    await waiters.waitUntil(() => value >= target, never);
    reached.push(target);
  });
  value = 1;
  waiters.check();
  await waits[0];
  expect(reached).toEqual([1]);
  expect(waiters.isEmpty).toBe(false);
  value = 2;
  waiters.check();
  await waits[1];
  expect(waiters.isEmpty).toBe(true);
});

test('rejects with the reason of an abort, and removes its listener', async () => {
  const waiters = new Waiters();
  const ending = new AbortController();
  const { signal } = ending;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  let isMet = false;
  const first = waiters.waitUntil(() => isMet, signal);
  isMet = true;
  waiters.check();
  await first;
  expect(listeners).toBe(0);
  const second = waiters.waitUntil(() => false, signal);
  ending.abort(new Error('stopped'));
  await expect(second).rejects.toThrow('stopped');
  expect(listeners).toBe(0);
  expect(waiters.isEmpty).toBe(true);
  await expect(waiters.waitUntil(() => true, signal)).rejects.toThrow('stopped');
});
