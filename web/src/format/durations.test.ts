import { describe, expect, it } from 'vitest';
import { formatDuration, formatExactMs } from './durations.ts';
import { joinUnits } from './units.fixture.ts';

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [849.6, '850 ms'],
    [1200, '1.2 s'],
    [9949, '9.9 s'],
    [9950, '10 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [185_000, '3 min 5 s'],
    [180_000, '3 min'],
    [45 * 60_000, '45 min'],
    [125 * 60_000, '2 h 5 min'],
    [120 * 60_000, '2 h'],
    [99 * 3_600_000, '4 d 3 h'],
    [-1200, '−1.2 s'],
    [Number.NaN, '–'],
  ])('formats %s ms as %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(joinUnits(text));
  });
});

it('formats exact milliseconds with thousands separators', () => {
  expect(formatExactMs(1234)).toBe(joinUnits('1,234 ms'));
});
