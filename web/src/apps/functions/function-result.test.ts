import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { expect, test } from 'vitest';
import { getDurationMs, getFirstLine, getResultKind } from './function-result.ts';

const result = (changes: Partial<ScheduledFunctionResult>): ScheduledFunctionResult => ({
  qualifiedName: 'Nightly:closeOldVisits',
  started: '2026-11-02T00:15:00.000Z',
  finished: '2026-11-02T00:15:01.200Z',
  exception: null,
  stacktrace: null,
  ...changes,
});

test('classifies a result as running, ok or failed', () => {
  expect(getResultKind(result({}))).toBe('ok');
  expect(getResultKind(result({ finished: null }))).toBe('running');
  expect(getResultKind(result({ exception: 'java.lang.IllegalStateException: x' }))).toBe('failed');
  expect(getResultKind(result({ exception: 'interrupted', finished: null }))).toBe('failed');
  expect(getResultKind(result({ exception: '' }))).toBe('ok');
});

test('computes the duration of a run in milliseconds', () => {
  expect(getDurationMs(result({}))).toBe(1200);
  expect(getDurationMs(result({ finished: null }))).toBeNull();
  expect(getDurationMs(result({ finished: '2026-11-02T00:14:59Z' }))).toBe(0);
  expect(getDurationMs(result({ finished: 'no date' }))).toBeNull();
});

test('returns the first line of an exception', () => {
  expect(getFirstLine('\njava.lang.X: gone\n\tat a.b(C.java:1)')).toBe('java.lang.X: gone');
  expect(getFirstLine('')).toBe('');
});
