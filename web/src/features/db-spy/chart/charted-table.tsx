import { isAdditive, type Metric } from '@portal/contract/db-spy';
import type { CSSProperties } from 'react';
import { formatPlural, formatShare } from '../../../format/numbers.ts';
import { InnerMark } from '../statement/inner-mark.tsx';
import { toSqlHeadline } from '../statement/sql-headline.ts';
import type { Ranking } from './ranking.ts';
import { getRankColor, getRankPattern, otherColor, type SlicePattern } from './slice-colors.ts';
import { formatCharted, formatExactly, getMetricName } from './stat-metrics.ts';
import styles from './stats-chart.module.css';

/** The chart in words and numbers. With bars, the table is the chart. */
export function ChartedTable(props: {
  ranking: Ranking;
  metric: Metric;
  withBars: boolean;
  onOpen: (id: string) => void;
}) {
  const { metric, withBars } = props;
  const { ranked, other } = props.ranking;
  const maxValue = Math.max(other?.value ?? 0, ...ranked.map(({ value }) => value));
  const hasParts = isAdditive(metric);
  const bar = (value: number, color: string, pattern?: SlicePattern) =>
    withBars && (
      <span className={styles.bar} aria-hidden>
        <span
          style={{ width: `${maxValue > 0 ? (100 * value) / maxValue : 0}%`, backgroundColor: color }}
          data-pattern={pattern}
        />
      </span>
    );
  return (
    <table className={styles.charted} aria-label="Charted queries">
      <thead>
        <tr>
          <th scope="col">#</th>
          <th scope="col">Query</th>
          <th scope="col" data-align="right">
            {getMetricName(metric)}
          </th>
          <th
            scope="col"
            data-align="right"
            title={hasParts ? 'Of the statements found' : 'Of the total time of all statements'}
          >
            {hasParts ? 'Share' : 'Share of total time'}
          </th>
        </tr>
      </thead>
      <tbody>
        {ranked.map(({ rank, row, value, part }) => (
          <tr key={row.id}>
            <td>
              <Badge rank={rank} />
            </td>
            <td className={styles.chartedQuery}>
              <button
                type="button"
                onClick={() => props.onOpen(row.id)}
                aria-description="Show the Query Pattern Detail"
              >
                <code>{toSqlHeadline(row.query).slice(0, 160)}</code>
              </button>
              <InnerMark row={row} />
              {bar(value, getRankColor(rank), getRankPattern(rank))}
            </td>
            <td data-align="right">
              <ChartedValue metric={metric} value={value} />
            </td>
            <td data-align="right">{formatShare(part ?? row.share)}</td>
          </tr>
        ))}
        {other && (
          <tr>
            <td>
              <span className={styles.badge} style={{ backgroundColor: otherColor }} aria-hidden>
                …
              </span>
            </td>
            <td className={styles.chartedQuery}>
              Other: {formatPlural(other.count, 'more statement')}
              {bar(other.value, otherColor)}
            </td>
            <td data-align="right">
              <ChartedValue metric={metric} value={other.value} />
            </td>
            <td data-align="right">{formatShare(other.part)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function ChartedValue({ metric, value }: { metric: Metric; value: number }) {
  return <span title={formatExactly(metric, value)}>{formatCharted(metric, value)}</span>;
}

/** The rank of a statement, in the color and pattern of its slice. */
export function Badge({ rank }: { rank: number }) {
  const style = { '--slice-color': getRankColor(rank) } as CSSProperties;
  return (
    <span className={styles.badge} style={style} data-pattern={getRankPattern(rank)}>
      {rank}
    </span>
  );
}
