import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { describe, expect, test } from 'vitest';
import { headlineOf, kindOfResult, latestResultByName, tookMsOf } from './latest-results.ts';

const result = (changes: Partial<ScheduledFunctionResult>): ScheduledFunctionResult => ({
  qualifiedName: 'Nightly:closeOldVisits',
  started: '2026-11-02T00:15:00.000Z',
  finished: '2026-11-02T00:15:01.200Z',
  exception: null,
  stacktrace: null,
  ...changes,
});

describe('latestResultByName', () => {
  test('takes the one that started last, whatever the order', () => {
    const older = result({ started: '2026-11-01T00:15:00Z' });
    const newer = result({ started: '2026-11-02T00:15:00Z' });
    const other = result({ qualifiedName: 'Reports:weekly', started: '2020-01-01T00:00:00Z' });
    for (const order of [
      [older, newer, other],
      [newer, older, other],
    ]) {
      const latest = latestResultByName(order);
      expect(latest.get('Nightly:closeOldVisits')).toBe(newer);
      expect(latest.get('Reports:weekly')).toBe(other);
      expect(latest.size).toBe(2);
    }
  });

  test('compares instants, not texts: an offset does not make a run newer', () => {
    const newer = result({ started: '2026-11-02T00:30:00Z' });
    const older = result({ started: '2026-11-02T02:00:00+02:00' });
    expect(latestResultByName([newer, older]).get('Nightly:closeOldVisits')).toBe(newer);
  });
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
