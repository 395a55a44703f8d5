import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PollAllowance } from './poll-allowance.ts';

const everyMs = 1_000;

test('polls exceed the allowed rate by one at most, whenever they are wanted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 2, maxLength: 30 }), (pauses) => {
      const allowance = new PollAllowance(everyMs);
      const polls: number[] = [];
      let nowMs = 0;
      for (const pauseMs of pauses) {
        nowMs += pauseMs;
        nowMs += allowance.getWaitMs(nowMs);
        allowance.record(nowMs);
        polls.push(nowMs);
      }
      for (const [first, from] of polls.entries())
        for (const [last, to] of polls.entries())
          if (last >= first) expect(last - first + 1).toBeLessThanOrEqual(Math.floor((to - from) / everyMs) + 2);
    }),
  );
});

test('a poll after two seconds without one never waits, nor does the next', () => {
  const allowance = new PollAllowance(everyMs);
  for (let nowMs = 0; nowMs < 100_000; nowMs += 2 * everyMs) {
    expect(allowance.getWaitMs(nowMs)).toBe(0);
    allowance.record(nowMs);
    expect(allowance.getWaitMs(nowMs + 1)).toBe(0);
    allowance.record(nowMs + 1);
    expect(allowance.getWaitMs(nowMs + 2)).toBe(everyMs - 2);
  }
});

test('the pages of a backlog, which are read at once, delay the next poll by one interval', () => {
  const allowance = new PollAllowance(everyMs);
  for (let page = 0; page < 100; page += 1) allowance.record(0);
  expect(allowance.getWaitMs(0)).toBe(everyMs);
});
