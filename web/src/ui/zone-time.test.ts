import { expect, test } from 'vitest';
import { formatInZone } from './zone-time.tsx';

test('an instant by the clock of the zone, with its year only where that is another one', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const newYear = new Date('2026-12-31T22:30:00Z');
  expect(formatInZone(newYear, 'UTC', now)).toBe('Thu 31 Dec, 22:30');
  expect(formatInZone(newYear, 'Africa/Johannesburg', now)).toBe('Fri 1 Jan 2027, 00:30');
  expect(formatInZone(new Date('2026-09-21T06:05:00Z'), 'Africa/Johannesburg', now)).toBe('Mon 21 Sep, 08:05');
});
