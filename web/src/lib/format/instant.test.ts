import { describe, expect, it } from 'vitest';
import { formatInstant, formatRelative } from './instant.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const minuteMs = 60_000;

describe('formatRelative', () => {
  it.each([
    [0, 'just now'],
    [-40_000, 'just now'],
    [30_000, 'in under a minute'],
    [-50_000, '1 min ago'],
    [-3 * minuteMs, '3 min ago'],
    [-58 * minuteMs, '1 h ago'],
    [2 * 60 * minuteMs, 'in 2 h'],
    [-25 * 60 * minuteMs, 'yesterday'],
    [25 * 60 * minuteMs, 'tomorrow'],
    [-3 * 24 * 60 * minuteMs, '3 days ago'],
  ])('%s ms away is %s', (awayMs, text) => {
    expect(formatRelative(now + awayMs, now)).toBe(text);
  });

  it('is a date beyond a week', () => {
    expect(formatRelative(now - 30 * 24 * 60 * minuteMs, now)).toMatch(/^2026-10-2[12]$/);
  });
});

describe('formatInstant', () => {
  it('is exact in UTC', () => {
    expect(formatInstant(new Date('2026-11-21T07:37:01.456Z'), true)).toBe('2026-11-21 07:37:01 UTC');
  });

  it('in local time says how far that is from UTC, and means the same instant', () => {
    const instant = new Date('2026-07-01T23:30:00Z');
    const text = formatInstant(instant, false);
    const parsed = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ([+−])(\d\d:\d\d)$/.exec(text);
    expect(parsed).not.toBeNull();
    const [, date, time, sign, offset] = parsed ?? [];
    expect(Date.parse(`${date}T${time}${sign === '−' ? '-' : '+'}${offset}`)).toBe(instant.getTime());
  });
});
