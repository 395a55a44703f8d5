import { describe, expect, test } from 'vitest';
import {
  isFiltered,
  parseFieldValue,
  readAuditFilter,
  toAuditQuery,
  toExportAddress,
  toFieldValue,
} from './audit-filter.ts';
import { formatAttempts } from './format-attempts.ts';

describe('audit filter', () => {
  test('keeps valid parameters and drops all others', () => {
    expect(
      readAuditFilter({
        search: 'lock',
        user: 42,
        outcome: 'refused',
        from: '2026-11-01T00:00:00Z',
        to: 'yesterday',
        app: ' ',
        other: 'x',
      }),
    ).toEqual({ search: 'lock', user: '42', outcome: 'refused', from: '2026-11-01T00:00:00Z' });
    expect(readAuditFilter({ outcome: 'lost', search: ['a'] })).toEqual({});
  });

  test('returns the same filter when its own result is read again', () => {
    const filter = readAuditFilter({ search: 'a', app: 'id', to: '2026-11-01T00:00:00Z', entry: '7' });
    expect(readAuditFilter({ ...filter })).toEqual(filter);
  });
});

test("maps the filter to the call's parameters without the opened entry", () => {
  const filter = readAuditFilter({ user: 'demo', app: 'app-1', entry: '7' });
  expect(toAuditQuery(filter, null)).toEqual({ username: 'demo', resource: 'app-1' });
  expect(toAuditQuery(filter, 'c2')).toEqual({ username: 'demo', resource: 'app-1', after: 'c2' });
});

test('does not count an opened entry as a filter', () => {
  expect(isFiltered({ entry: '7' })).toBe(false);
  expect(isFiltered({ entry: '7', outcome: 'failed' })).toBe(true);
});

test('round-trips an instant through a date field, to the minute', () => {
  for (const instant of ['2026-03-29T01:30:00.000Z', '2026-11-02T22:15:00.000Z', '2020-02-29T12:00:00.000Z'])
    expect(parseFieldValue(toFieldValue(instant))).toBe(instant);
  expect(toFieldValue(undefined)).toBe('');
  expect(toFieldValue('nonsense')).toBe('');
  expect(parseFieldValue('')).toBeUndefined();
});

test('exports exactly the entries of the filter', () => {
  const filter = readAuditFilter({ search: 'a & b', user: 'demo', entry: '7' });
  expect(toExportAddress(filter)).toBe('/portal-backend/api/audit/export?search=a+%26+b&username=demo');
});

test('shows the number of equal attempts only if there are several', () => {
  expect(formatAttempts('refused', 1)).toBe('refused');
  expect(formatAttempts('refused', 12_345)).toBe('refused ×12,345');
});
