import { toSqlHeadline } from '../statement/sql-headline.ts';
import type { Ranking } from './ranking.ts';
import { getRankColor, getRankPattern, lookCount, otherColor, type SlicePattern } from './slice-colors.ts';

/** More slices would look like others. A note next to the pie mentions the rest. */
export const maxSlices = lookCount;

const maxTitleLength = 60;

export interface Slice {
  readonly key: string;
  /** The row id; null for the slice of all others. */
  readonly id: string | null;
  /** "1", "2", …, "Other (12)" */
  readonly name: string;
  /** The name with the start of the statement, for tooltips. */
  readonly title: string;
  readonly value: number;
  readonly color: string;
  readonly pattern: SlicePattern;
  /**
   * The fraction of the circle, 0 to 1: of the total for additive metrics, of the charted values
   * for the others.
   */
  readonly angle: number;
}

/**
 * Returns the slices of a pie, each value once. Ranks beyond `maxSlices` are added to Other, or
 * dropped if the metric is not additive.
 */
export function toSlices({ ranked: all, other }: Ranking): Slice[] {
  const ranked = all.filter(({ isCountedElsewhere }) => !isCountedElsewhere);
  const drawn = ranked.slice(0, maxSlices);
  const overflow = ranked.slice(maxSlices);
  const hasParts = drawn.every(({ part }) => part !== null);
  const otherCount = (other?.count ?? 0) + overflow.length;
  const otherValue = (other?.value ?? 0) + overflow.reduce((sum, { value }) => sum + value, 0);
  const withOther = hasParts && otherCount > 0;
  const total = drawn.reduce((sum, { value }) => sum + value, 0) + (withOther ? otherValue : 0);
  const toAngle = (value: number) => (total > 0 ? value / total : 0);
  const slices: Slice[] = drawn.map(({ rank, row, value }) => ({
    key: row.id,
    id: row.id,
    name: String(rank),
    title: `${rank} ${toSqlHeadline(row.query).slice(0, maxTitleLength)}`,
    value,
    color: getRankColor(rank),
    pattern: getRankPattern(rank),
    angle: toAngle(value),
  }));
  if (withOther) {
    slices.push({
      key: 'other',
      id: null,
      name: `Other (${otherCount})`,
      title: `Other (${otherCount})`,
      value: otherValue,
      color: otherColor,
      pattern: 'plain',
      angle: toAngle(otherValue),
    });
  }
  return slices;
}
