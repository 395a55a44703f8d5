import { expect, it } from 'vitest';
import { formatBytes, formatCount, formatPlural } from './numbers.ts';
import { joinUnits } from './units.fixture.ts';

it('separates thousands', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567');
});

it('uses the singular for one and the plural otherwise', () => {
  expect(formatPlural(1, 'app')).toBe('1 app');
  expect(formatPlural(10_000, 'app')).toBe('10,000 apps');
});

it('formats bytes in the largest unit that fits', () => {
  const sizes = [0, 812, 1023, 1024, 1536, 600_789, 5 * 1024 ** 3, 3000 * 1024 ** 4];
  const texts = ['0 B', '812 B', '1,020 B', '1 KiB', '1.5 KiB', '587 KiB', '5 GiB', '3,000 TiB'];
  expect(sizes.map(formatBytes)).toEqual(texts.map(joinUnits));
});
