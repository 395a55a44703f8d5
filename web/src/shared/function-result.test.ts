import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { expect, test } from 'vitest';
import { headlineOf, kindOfResult, tookMsOf } from './function-result.ts';

const result = (changes: Partial<ScheduledFunctionResult>): ScheduledFunctionResult => ({
  qualifiedName: 'Nightly:closeOldVisits',
  started: '2026-11-02T00:15:00.000Z',
  finished: '2026-11-02T00:15:01.200Z',
  exception: null,
  stacktrace: null,
  ...changes,
});

test('a result is running, ok or failed', () => {
  expect(kindOfResult(result({}))).toBe('ok');
  expect(kindOfResult(result({ finished: null }))).toBe('running');
  expect(kindOfResult(result({ exception: 'java.lang.IllegalStateException: x' }))).toBe('failed');
  expect(kindOfResult(result({ exception: 'interrupted', finished: null }))).toBe('failed');
  expect(kindOfResult(result({ exception: '' }))).toBe('ok');
});

test('how long it took, in milliseconds', () => {
  expect(tookMsOf(result({}))).toBe(1200);
  expect(tookMsOf(result({ finished: null }))).toBeNull();
  expect(tookMsOf(result({ finished: '2026-11-02T00:14:59Z' }))).toBe(0);
  expect(tookMsOf(result({ finished: 'no date' }))).toBeNull();
});

test('the headline of an exception is its first line', () => {
  expect(headlineOf('\njava.lang.X: gone\n\tat a.b(C.java:1)')).toBe('java.lang.X: gone');
  expect(headlineOf('')).toBe('');
});
