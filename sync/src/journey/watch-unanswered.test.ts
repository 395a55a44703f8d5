import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchUnanswered } from './watch-unanswered.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('reports the oldest call that is unanswered for too long, until all slow calls have ended', () => {
  const reports: (number | null)[] = [];
  const onCall = watchUnanswered(5_000, (sinceMs) => reports.push(sinceMs));
  const endFirst = onCall();
  vi.advanceTimersByTime(1_000);
  const endSecond = onCall();
  const endQuick = onCall();
  vi.advanceTimersByTime(3_999);
  endQuick();
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(reports).toEqual([1_000_000]);
  vi.advanceTimersByTime(1_000);
  endFirst();
  expect(reports).toEqual([1_000_000, 1_000_000, 1_001_000]);
  endSecond();
  expect(reports.at(-1)).toBeNull();
  vi.advanceTimersByTime(60_000);
  expect(reports).toHaveLength(4);
});
