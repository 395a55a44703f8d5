import type { StatementTrend } from '@portal/contract/db-spy';
import { formatStatementTime } from '../../../format/durations.ts';
import { formatCount, formatPlural, sum } from '../../../format/numbers.ts';

/** A trend needs two snapshots. */
export const noSnapshotsText =
  'There is no trend yet: it needs two snapshots of the statistics. The portal takes one every hour, and every five minutes while they are viewed.';

export const notCountedText = 'There is no trend yet: this statement is in no snapshot so far.';

/** Describes both values of a trend in one sentence: the sums, and the range of the intervals. */
export function describeTrend({ calls, total_time }: Pick<StatementTrend, 'calls' | 'total_time'>): string {
  const times = describeRange(total_time, formatStatementTime);
  return `${formatPlural(sum(calls), 'call')} in ${formatStatementTime(sum(total_time))}; calls per interval ${describeRange(calls, formatCount)}, total time ${times}`;
}

/** Describes the values of the intervals: "0 to 12, last 3". */
export function describeRange(values: readonly number[], format: (value: number) => string): string {
  return `${format(Math.min(...values))} to ${format(Math.max(...values))}, last ${format(values.at(-1) ?? 0)}`;
}
