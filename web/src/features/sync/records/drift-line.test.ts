import { expect, test } from 'vitest';
import { describeTrend, formatDifference, getTrend, layOutTrend, type TrendPoint } from './drift-line.ts';

const point = (day: number, helium: number, journey: number, drifted = 0, held = 0) => ({
  table: 'agrodealer',
  at: `2026-11-${String(day).padStart(2, '0')}T02:00:00.000Z`,
  helium,
  journey,
  drifted,
  held,
  leftAsIs: 0,
});
const drift = [point(1, 4, 4), { ...point(1, 9, 1), table: 'voucher' }, point(2, 5, 4, 1), point(5, 5, 5)];
const size = { width: 100, height: 24, margin: 2 };
const trend = (...differences: number[]): TrendPoint[] =>
  differences.map((difference, at) => ({ ...point(at + 1, 0, 0), difference }));

test('matches an object to its comparisons by name and takes the difference from its own side', () => {
  const getDifferences = (platform: 'Helium' | 'Journey', objectName: string) =>
    getTrend({ platform, objectName }, drift).map(({ difference }) => difference);
  expect(getDifferences('Helium', 'agrodealer')).toEqual([0, 1, 0]);
  expect(getDifferences('Journey', 'agroDealer')).toEqual([0, -1, 0]);
  expect(getDifferences('Helium', 'farmer')).toEqual([]);
});

test('describes a trend in words', () => {
  expect(describeTrend(getTrend({ platform: 'Journey', objectName: 'agroDealer' }, drift))).toBe(
    '3 comparisons within 30 days. Latest difference: none, largest: −1. Drifted records were found once.',
  );
  expect(describeTrend(trend(1200))).toBe(
    '1 comparison within 30 days. Latest difference: +1,200, largest: +1,200. No drifted records were found.',
  );
  expect(describeTrend([{ ...point(1, 5, 5, 0, 3), difference: 0 }])).toMatch(
    /No drifted records were found\. At the latest comparison, 3 records on hold differed\.$/,
  );
  expect(describeTrend([{ ...point(1, 5, 5), leftAsIs: 1, difference: 0 }])).toMatch(
    /At the latest comparison, 1 record differed on the side whose changes are not read\.$/,
  );
  expect([formatDifference(0), formatDifference(3), formatDifference(-4500)]).toEqual(['none', '+3', '−4,500']);
});

test('lays a trend out over time around the zero line, within its margin', () => {
  const { points, zeroY } = layOutTrend(trend(0, 10, -10), size);
  expect(points.map(({ x }) => x)).toEqual([2, 50, 98]);
  expect([...points.map(({ y }) => y), zeroY]).toEqual([12, 2, 22, 12]);
});

test('centers the zero line when there was never a difference, and draws a single comparison', () => {
  expect(layOutTrend(trend(0, 0), size)).toMatchObject({
    zeroY: 12,
    points: [
      { x: 2, y: 12 },
      { x: 98, y: 12 },
    ],
  });
  expect(layOutTrend(trend(7), size)).toEqual({ zeroY: 22, points: [{ x: 98, y: 2, hasDifferences: false }] });
});
