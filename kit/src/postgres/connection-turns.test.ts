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
    void turns.take(owner).then(({ start, end }) => {
      start();
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
  const { end } = await turns.take('a');
  const { order, settle } = queue(turns, ['b']);
  end();
  await vi.advanceTimersByTimeAsync(times.lingerMs - 1);
  expect([turns.countKept('a'), order]).toEqual([1, []]);
  (await turns.take('a')).end();
  await vi.advanceTimersByTimeAsync(times.lingerMs);
  await settle();
  expect([turns.countKept('a'), order]).toEqual([0, ['b']]);
});

test('keeps no turn while no other owner waits', async () => {
  const turns = new ConnectionTurns(1, times);
  (await turns.take('a')).end();
  expect(turns.countKept('a')).toBe(0);
  (await turns.take('b')).end();
});

test('fails like an exhausted pool after the longest wait, and then takes no turn', async () => {
  const turns = new ConnectionTurns(1, times);
  const { end } = await turns.take('a');
  const late = turns.take('b').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(times.waitMs);
  expect(isPoolExhausted(await late)).toBe(true);
  end();
  (await turns.take('c')).end();
});

test('counts the time of a turn from when its connection is open, which may take long', async () => {
  const turns = new ConnectionTurns(1, times);
  const { start, end } = await turns.take('a');
  await vi.advanceTimersByTimeAsync(times.burstMs / 2);
  start();
  const { order, settle, endNext } = queue(turns, ['b', 'a']);
  await vi.advanceTimersByTimeAsync(times.burstMs - 1);
  end();
  await settle();
  expect(order).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  await endNext();
  expect(order).toEqual(['a', 'b']);
});

test('lets an owner use a connection as long as it took to open', async () => {
  const turns = new ConnectionTurns(1, times);
  const { start, end } = await turns.take('a');
  const openingMs = times.burstMs * 3;
  await vi.advanceTimersByTimeAsync(openingMs);
  start();
  const { order, settle } = queue(turns, ['b', 'a']);
  await vi.advanceTimersByTimeAsync(openingMs - 1);
  end();
  await settle();
  expect(order).toEqual(['a']);
});

test('leaves the free turns to others while an owner that prefers its own has one', async () => {
  const turns = new ConnectionTurns(2, { ...times, ownMs: 50 });
  const { end } = await turns.take('a');
  const order: string[] = [];
  const take = async (name: string, prefersOwn: boolean) => {
    await turns.take('a', prefersOwn);
    order.push(name);
  };
  void take('own', true);
  await vi.advanceTimersByTimeAsync(0);
  expect(order).toEqual([]);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(order).toEqual(['own']);
  void take('own, after a while', true);
  await vi.advanceTimersByTimeAsync(50);
  expect(order).toEqual(['own', 'own, after a while']);
});
