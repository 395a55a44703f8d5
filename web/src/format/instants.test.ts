import { describe, expect, it, vi } from 'vitest';
import {
  formatDistance,
  formatInstant,
  formatInZone,
  formatLocalTime,
  formatRelative,
  formatTimeInZone,
  formatZoneOffset,
} from './instants.ts';
import { joinUnits } from './units.fixture.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const minuteMs = 60_000;

describe('formatRelative', () => {
  it.each([
    [0, 'just now'],
    [-40_000, 'just now'],
    [30_000, 'in under a minute'],
    [-50_000, '1 min ago'],
    [-3 * minuteMs, '3 min ago'],
    [-58 * minuteMs, '58 min ago'],
    [100 * minuteMs, 'in 100 min'],
    [119.6 * minuteMs, 'in 2 h'],
    [2 * 60 * minuteMs, 'in 2 h'],
    [-25 * 60 * minuteMs, '25 h ago'],
    [37 * 60 * minuteMs, 'in 37 h'],
    [-3 * 24 * 60 * minuteMs, '3 days ago'],
  ])('formats an offset of %s ms as %s', (offsetMs, text) => {
    expect(formatRelative(now + offsetMs, now)).toBe(joinUnits(text));
  });

  it('formats instants more than a week away as a date', () => {
    expect(formatRelative(now - 30 * 24 * 60 * minuteMs, now)).toMatch(/^2[12] Oct 2026$/);
  });

  it('formats the distance of instants beside their date as days, however far they are', () => {
    expect(formatDistance(now + 11 * 24 * 60 * minuteMs, now)).toBe(joinUnits('in 11 days'));
    expect(formatDistance(now - 1200 * 24 * 60 * minuteMs, now)).toBe(joinUnits('1,200 days ago'));
  });
});

describe('formatInstant', () => {
  it('formats an instant in UTC', () => {
    expect(formatInstant(new Date('2026-11-21T07:37:01.456Z'), true)).toBe('Sat 21 Nov 2026, 07:37:01 UTC');
  });

  it('formats local time with its UTC offset and keeps the same instant', () => {
    const instant = new Date('2026-07-01T23:30:00Z');
    const text = formatInstant(instant, false);
    expect(text).toMatch(/^(Wed 1|Thu 2) Jul 2026, \d\d:\d\d:\d\d [+-]\d\d:\d\d$/);
    expect(Date.parse(text.replace(',', ''))).toBe(instant.getTime());
  });
});

it('formats a local time of day with 24 hours and seconds', () => {
  expect(formatLocalTime(new Date(2026, 10, 21, 0, 29, 57).getTime())).toBe('00:29:57');
  expect(formatLocalTime(new Date(2026, 10, 21, 23, 29, 57).getTime())).toBe('23:29:57');
});

it('formats an instant in a time zone and adds the year only when it differs from the current one', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const newYear = new Date('2026-12-31T22:30:00Z');
  expect(formatInZone(newYear, 'UTC', now)).toBe('Thu 31 Dec, 22:30');
  expect(formatInZone(newYear, 'Africa/Johannesburg', now)).toBe('Fri 1 Jan 2027, 00:30');
  expect(formatInZone(new Date('2026-09-21T06:05:00Z'), 'Africa/Johannesburg', now)).toBe('Mon 21 Sep, 08:05');
});

it('creates no formatter per instant, because each takes as long as hundreds of instants', () => {
  const { DateTimeFormat } = Intl;
  const created = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function create(...args) {
    return new DateTimeFormat(...args);
  });
  for (const hour of Array.from({ length: 24 }, (_, at) => at)) {
    const instant = new Date(Date.UTC(2026, 10, 28, hour));
    formatInZone(instant, 'Asia/Tokyo', instant);
    formatTimeInZone(instant, 'Asia/Tokyo');
    formatZoneOffset(instant, 'Asia/Tokyo');
  }
  expect(created.mock.calls.length).toBeLessThanOrEqual(2);
  created.mockRestore();
});

it('formats the time of day in a time zone', () => {
  expect(formatTimeInZone(new Date('2026-12-31T22:30:00Z'), 'Africa/Johannesburg')).toBe('00:30');
});

it('formats the offset of a time zone at an instant', () => {
  const [winter, summer] = [new Date('2026-01-15T12:00Z'), new Date('2026-07-15T12:00Z')];
  expect(formatZoneOffset(winter, 'Africa/Johannesburg')).toBe('+02:00');
  expect([winter, summer].map((at) => formatZoneOffset(at, 'America/New_York'))).toEqual(['-05:00', '-04:00']);
  expect(formatZoneOffset(winter, 'UTC')).toBe('+00:00');
});
