import { expect, test } from 'vitest';
import { nextWait } from './watch-pace.ts';

const pace = { beatMs: 20, lingerMs: 0, idleMs: 500, restMs: 500 };
const look = { waitMs: 20, hasMoved: false, quietMs: 1_000, tookMs: 0 };

test('waits twice as long each time nothing has moved, up to the idle beat', () => {
  expect(nextWait(look, pace).waitMs).toBe(40);
  expect(nextWait({ ...look, waitMs: 400 }, pace).waitMs).toBe(500);
});

test('waits for a beat once something has moved, and while it lingers', () => {
  expect(nextWait({ ...look, waitMs: 500, hasMoved: true, quietMs: 0 }, pace).waitMs).toBe(20);
  expect(nextWait({ ...look, waitMs: 500, quietMs: 69 }, { ...pace, lingerMs: 70 }).waitMs).toBe(20);
  expect(nextWait({ ...look, quietMs: 70 }, { ...pace, lingerMs: 70 }).waitMs).toBe(40);
});

test('rests after half a minute without a move, where that is longer than idling', () => {
  const idle = { ...look, waitMs: 500, quietMs: 30_000 };
  expect(nextWait(idle, pace).waitMs).toBe(500);
  expect(nextWait(idle, { ...pace, restMs: 60_000 }).waitMs).toBe(1_000);
  expect(nextWait({ ...idle, quietMs: 29_999 }, { ...pace, restMs: 60_000 }).waitMs).toBe(500);
});

test('pauses four times as long as a slow look took, no longer than the idle beat, and forgets it', () => {
  expect(nextWait({ ...look, tookMs: 50 }, pace)).toEqual({ waitMs: 40, pauseMs: 200 });
  expect(nextWait({ ...look, tookMs: 5_000 }, pace)).toEqual({ waitMs: 40, pauseMs: 500 });
});
