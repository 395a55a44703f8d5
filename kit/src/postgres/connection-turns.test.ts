import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConnectionTurns } from './connection-turns.ts';
import { isPoolExhausted } from './pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const times = { waitMs: 1_000, burstMs: 100, lingerMs: 20 };

/** Takes a turn for each owner in this order, and notes the owner when its turn comes. */
function queue(turns: ConnectionTurns, owners: readonly string[]) {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  for (const owner of owners)
    void turns.take(owner).then((end) => {
      order.push(owner);
      ends.push(end);
    });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const endNext = async () => {
    ends.shift()?.();
    await settle();
  };
  return { order, settle, endNext };
}

test('passes a turn to the next use of the same owner first, until it has lasted long enough', async () => {
  const turns = new ConnectionTurns(1, times);
  const { order, settle, endNext } = queue(turns, ['a', 'b', 'a', 'a', 'b']);
  await settle();
  await endNext();
  expect(order).toEqual(['a', 'a']);
  await vi.advanceTimersByTimeAsync(times.burstMs);
  await endNext();
  expect(order).toEqual(['a', 'a', 'b']);
  await endNext();
  await vi.advanceTimersByTimeAsync(times.burstMs);
  await endNext();
  expect(order).toEqual(['a', 'a', 'b', 'b', 'a']);
});

test('keeps a turn for a moment for the next use of its owner while others wait', async () => {
  const turns = new ConnectionTurns(1, times);
  const end = await turns.take('a');
  const { order, settle } = queue(turns, ['b']);
  end();
  await vi.advanceTimersByTimeAsync(times.lingerMs - 1);
  expect([turns.keeps('a'), order]).toEqual([true, []]);
  (await turns.take('a'))();
  await vi.advanceTimersByTimeAsync(times.lingerMs);
  await settle();
  expect([turns.keeps('a'), order]).toEqual([false, ['b']]);
});

test('keeps no turn while no other owner waits', async () => {
  const turns = new ConnectionTurns(1, times);
  (await turns.take('a'))();
  expect(turns.keeps('a')).toBe(false);
  (await turns.take('b'))();
});

test('fails like an exhausted pool after the longest wait, and then takes no turn', async () => {
  const turns = new ConnectionTurns(1, times);
  const end = await turns.take('a');
  const late = turns.take('b').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(times.waitMs);
  expect(isPoolExhausted(await late)).toBe(true);
  end();
  (await turns.take('c'))();
});
