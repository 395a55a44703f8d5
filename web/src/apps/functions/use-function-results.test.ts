import { expect, test } from 'vitest';
import { combineResults } from './use-function-results.ts';

const run = (qualifiedName: string, started: string, finished: string | null = null) => ({
  qualifiedName,
  started,
  finished,
  exception: null,
  stacktrace: null,
});

test('adds the last results that are not among the newest, and keeps the newest as they are', () => {
  const newest = [run('A:a', '2026-11-02T00:15:00Z', '2026-11-02T00:15:01Z')];
  const last = [run('A:a', '2026-11-02T00:15:00Z'), run('B:b', '2026-01-01T00:00:00Z')];
  expect(combineResults(newest, last)).toEqual([newest[0], last[1]]);
});
