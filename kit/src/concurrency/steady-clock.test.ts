import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { type SteadyClock, steadyClock } from './steady-clock.ts';
import { createTestClock } from './test-clock.fixture.ts';

const testClock = createTestClock();
const clocks: readonly (readonly [string, SteadyClock, () => Promise<void>])[] = [
  ['the clock of production', steadyClock, () => Promise.resolve()],
  ['the clock of tests', testClock, () => testClock.advance()],
];

it.each(clocks)('a signal with which %s has waited many times keeps no listener', async (_name, clock, advance) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  for (let round = 0; round < 3; round++) {
    const waits = [1, 2, 3].map((ms) => clock.waitUntil(clock.nowMs() + ms, signal));
    await advance();
    await Promise.all(waits);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }
  const aborted = clock.waitUntil(clock.nowMs() + 3_600_000, signal);
  stopping.abort(new Error('The run was stopped.'));
  await expect(aborted).rejects.toThrow('The run was stopped.');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
