import type { DriftPoint } from '@portal/contract/sync/drift';
import type { SyncObject } from '@portal/contract/sync/objects';
import { formatCount, formatPlural } from '../../../format/numbers.ts';

/** One comparison of both sides, seen from the side the object is on. */
export interface TrendPoint {
  readonly at: string;
  readonly helium: number;
  readonly journey: number;
  /** How many more records this side had than the other. */
  readonly difference: number;
  readonly drifted: number;
  readonly held: number;
  readonly leftAsIs: number;
}

/**
 * Returns the comparisons of an object, oldest first. Both sides match names regardless of case.
 */
export function getTrend(
  { platform, objectName }: Pick<SyncObject, 'platform' | 'objectName'>,
  drift: readonly DriftPoint[],
): TrendPoint[] {
  return drift
    .filter(({ table }) => table.toLowerCase() === objectName.toLowerCase())
    .map(({ table: _, ...point }) => ({
      ...point,
      difference: platform === 'Helium' ? point.helium - point.journey : point.journey - point.helium,
    }));
}

export function formatDifference(difference: number): string {
  if (difference === 0) return 'none';
  return difference > 0 ? `+${formatCount(difference)}` : `−${formatCount(-difference)}`;
}

export function describeTrend(trend: readonly TrendPoint[]): string {
  const largest = trend.reduce(
    (largest, { difference }) => (Math.abs(difference) > Math.abs(largest) ? difference : largest),
    0,
  );
  const { held = 0, leftAsIs: left = 0 } = trend.at(-1) ?? {};
  const driftedCount = trend.filter(({ drifted }) => drifted > 0).length;
  return [
    `${formatPlural(trend.length, 'comparison')} within 30 days.`,
    `Latest difference: ${formatDifference(trend.at(-1)?.difference ?? 0)}, largest: ${formatDifference(largest)}.`,
    driftedCount === 0
      ? 'No drifted records were found.'
      : `Drifted records were found ${driftedCount === 1 ? 'once' : `${driftedCount} times`}.`,
    ...(left > 0
      ? [`At the latest comparison, ${formatPlural(left, 'record')} differed on the side whose changes are not read.`]
      : []),
    ...(held > 0 ? [`At the latest comparison, ${formatPlural(held, 'record')} on hold differed.`] : []),
  ].join(' ');
}

export interface Size {
  readonly width: number;
  readonly height: number;
  /** Empty space at each edge. */
  readonly margin: number;
}

export interface PlacedPoint {
  readonly x: number;
  readonly y: number;
  /** Whether records differed: those that were repaired, on hold, or left. */
  readonly hasDifferences: boolean;
}

/**
 * Returns the coordinates of the points and of the zero line. A single comparison, or several at
 * the same time, are at the right edge.
 */
export function layOutTrend(
  trend: readonly TrendPoint[],
  { width, height, margin }: Size,
): { readonly points: readonly PlacedPoint[]; readonly zeroY: number } {
  const times = trend.map(({ at }) => Date.parse(at));
  const differences = trend.map(({ difference }) => difference);
  const toX = scale(Math.min(...times), Math.max(...times), margin, width - margin, width - margin);
  const toY = scale(Math.min(0, ...differences), Math.max(0, ...differences), height - margin, margin, height / 2);
  return {
    points: trend.map(({ at, difference, drifted, held, leftAsIs }) => ({
      x: toX(Date.parse(at)),
      y: toY(difference),
      hasDifferences: drifted + held + leftAsIs > 0,
    })),
    zeroY: toY(0),
  };
}

/**
 * Returns a linear map from one range to another, or the constant `fallback` where the range is a
 * single value.
 */
function scale(from: number, to: number, low: number, high: number, fallback: number): (value: number) => number {
  return (value) => (to > from ? low + ((value - from) / (to - from)) * (high - low) : fallback);
}
