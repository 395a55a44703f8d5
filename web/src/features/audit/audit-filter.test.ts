import { describe, expect, test } from 'vitest';
import { auditQueryOf, fieldOfInstant, instantOfField, isFiltered, readAuditFilter } from './audit-filter.ts';

describe('readAuditFilter', () => {
  test('keeps what can be meant and leaves the rest out', () => {
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

  test('reading what was read changes nothing', () => {
    const filter = readAuditFilter({ search: 'a', app: 'id', to: '2026-11-01T00:00:00Z', entry: '7' });
    expect(readAuditFilter({ ...filter })).toEqual(filter);
  });
});

test('the query names what the call takes, and never the opened entry', () => {
  const filter = readAuditFilter({ user: 'demo', app: 'app-1', entry: '7' });
  expect(auditQueryOf(filter, null)).toEqual({ username: 'demo', resource: 'app-1' });
  expect(auditQueryOf(filter, 'c2')).toEqual({ username: 'demo', resource: 'app-1', after: 'c2' });
});

test('an opened entry is not a filter', () => {
  expect(isFiltered({ entry: '7' })).toBe(false);
  expect(isFiltered({ entry: '7', outcome: 'failed' })).toBe(true);
});

test('a date field gives back the instant it was filled from, to the minute', () => {
  for (const instant of ['2026-03-29T01:30:00.000Z', '2026-11-02T22:15:00.000Z', '2020-02-29T12:00:00.000Z'])
    expect(instantOfField(fieldOfInstant(instant))).toBe(instant);
  expect(fieldOfInstant(undefined)).toBe('');
  expect(fieldOfInstant('nonsense')).toBe('');
  expect(instantOfField('')).toBeUndefined();
});
