import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { expect, test } from 'vitest';
import type { JourneyOutcome } from '../../../journey/journey-gateway.ts';
import { findDirectionFailure, holdUndecided } from './undecided-writes.ts';

const done: JourneyOutcome = { status: 'done' };
const temporary = new JourneyProblem('no', { kind: 'unexpected-response' });
const rejected = new JourneyProblem('no', { kind: 'credentials-rejected' });
const undecided = (problem: JourneyProblem): JourneyOutcome => ({ status: 'undecided', kind: '', reason: '', problem });
const fill = (count: number, outcome: JourneyOutcome) => Array.from({ length: count }, () => outcome);

test.each([
  ['one write of one', 1, 0, false],
  ['nine writes of nine', 9, 0, false],
  ['ten writes of twenty', 10, 10, true],
  ['ten writes of twenty-one', 10, 11, false],
])('decides whether temporary errors for %s are a failure of the direction', (_what, failing, passing, isFailure) => {
  const outcomes = [...fill(failing, undecided(temporary)), ...fill(passing, done)];
  expect(findDirectionFailure(outcomes)).toBe(isFailure ? temporary : undefined);
});

test('takes a single write that Journey refuses to authenticate for a failure of the direction', () => {
  expect(findDirectionFailure([...fill(50, done), undecided(rejected)])).toBe(rejected);
});

const hourMs = 3_600_000;
const backoff = { initialMs: 1_000, maxMs: 5_000 };
const waiting = (attempts: number, waitedMs: number) => ({ state: 'waiting' as const, attempts, sinceMs: -waitedMs });

test('retries a waiting record with growing delays of at most a minute', () => {
  const delays = Array.from({ length: 9 }, (_, attempts) => {
    const before = attempts === 0 ? undefined : waiting(attempts, attempts);
    return holdUndecided(before, { nowMs: 0, lastSentMs: 0, backoff });
  });
  expect(delays).toEqual(
    [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => ({ state: 'waiting', retryMs: seconds * 1_000 })),
  );
});

test.each([
  ['the twentieth attempt after an hour, while others pass', waiting(19, hourMs), 0, 'dead'],
  ['an earlier attempt', waiting(18, hourMs), 0, 'waiting'],
  ['the twentieth attempt in less than an hour', waiting(19, hourMs - 1), 0, 'waiting'],
  ['the twentieth attempt while no other record passes', waiting(19, hourMs), null, 'waiting'],
  ['the twentieth attempt when others passed long ago', waiting(19, hourMs), -hourMs, 'waiting'],
  ['a record that Journey rejected before', { ...waiting(25, hourMs), state: 'dead' as const }, 0, 'waiting'],
])('holds a record whose error lasts, after %s', (_what, before, lastSentMs, state) => {
  expect(holdUndecided(before, { nowMs: 0, lastSentMs, backoff })).toMatchObject({ state });
});
