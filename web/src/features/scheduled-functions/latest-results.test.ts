import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { describe, expect, test } from 'vitest';
import { latestResultByName } from './latest-results.ts';

const result = (changes: Partial<ScheduledFunctionResult>): ScheduledFunctionResult => ({
  qualifiedName: 'Nightly:closeOldVisits',
  started: '2026-11-02T00:15:00.000Z',
  finished: '2026-11-02T00:15:01.200Z',
  exception: null,
  stacktrace: null,
  ...changes,
});

describe('latestResultByName', () => {
  test('picks the result that started last, regardless of the order', () => {
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

  test('compares start times as instants, so an offset does not make a run newer', () => {
    const newer = result({ started: '2026-11-02T00:30:00Z' });
    const older = result({ started: '2026-11-02T02:00:00+02:00' });
    expect(latestResultByName([newer, older]).get('Nightly:closeOldVisits')).toBe(newer);
  });
});
