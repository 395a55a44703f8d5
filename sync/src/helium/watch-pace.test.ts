import { expect, test } from 'vitest';
import { nextWait } from './watch-pace.ts';

const pace = { activeMs: 20, lingerMs: 0, idleMs: 500, dormantMs: 500 };
const lastPoll = { waitMs: 20, hasMoved: false, idleForMs: 1_000, durationMs: 0 };

test('doubles the wait while nothing changes, up to the idle interval', () => {
  expect(nextWait(lastPoll, pace).waitMs).toBe(40);
  expect(nextWait({ ...lastPoll, waitMs: 400 }, pace).waitMs).toBe(500);
});

test('uses the active interval after a change and while it lingers', () => {
  expect(nextWait({ ...lastPoll, waitMs: 500, hasMoved: true, idleForMs: 0 }, pace).waitMs).toBe(20);
  expect(nextWait({ ...lastPoll, waitMs: 500, idleForMs: 69 }, { ...pace, lingerMs: 70 }).waitMs).toBe(20);
  expect(nextWait({ ...lastPoll, idleForMs: 70 }, { ...pace, lingerMs: 70 }).waitMs).toBe(40);
});

test('extends the wait after half a minute without changes, when the dormant interval is longer than the idle one', () => {
  const idle = { ...lastPoll, waitMs: 500, idleForMs: 30_000 };
  expect(nextWait(idle, pace).waitMs).toBe(500);
  expect(nextWait(idle, { ...pace, dormantMs: 60_000 }).waitMs).toBe(1_000);
  expect(nextWait({ ...idle, idleForMs: 29_999 }, { ...pace, dormantMs: 60_000 }).waitMs).toBe(500);
});

test('pauses once for four times the duration of a slow poll, at most for the idle interval', () => {
  expect(nextWait({ ...lastPoll, durationMs: 50 }, pace)).toEqual({ waitMs: 40, pauseMs: 200 });
  expect(nextWait({ ...lastPoll, durationMs: 5_000 }, pace)).toEqual({ waitMs: 40, pauseMs: 500 });
});
