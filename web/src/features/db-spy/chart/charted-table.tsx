import type { Metric } from '@portal/contract/db-spy';
import { formatPlural, formatShare } from '../../../lib/format.ts';
import { toSqlHeadline } from '../statement/sql-headline.ts';
import { MetricValue } from '../table/stats-columns.tsx';
import type { Ranking } from './ranking.ts';
import { getRankColor, otherColor } from './slice-colors.ts';
import { getMetricName, isAdditive } from './stat-metrics.ts';
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
  const bar = (value: number, color: string) =>
    withBars && (
      <span className={styles.bar} aria-hidden>
        <span style={{ width: `${maxValue > 0 ? (100 * value) / maxValue : 0}%`, background: color }} />
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
              {bar(value, getRankColor(rank))}
            </td>
            <td data-align="right">
              <MetricValue metric={metric} value={value} />
            </td>
            <td data-align="right">{formatShare(part ?? row.share)}</td>
          </tr>
        ))}
        {other && (
          <tr>
            <td>
              <span className={styles.badge} style={{ background: otherColor }} aria-hidden>
                …
              </span>
            </td>
            <td className={styles.chartedQuery}>
              Other: {formatPlural(other.count, 'more statement')}
              {bar(other.value, otherColor)}
            </td>
            <td data-align="right">
              <MetricValue metric={metric} value={other.value} />
            </td>
            <td data-align="right">{formatShare(other.part)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** The rank of a statement, in the color of its slice. */
export function Badge({ rank }: { rank: number }) {
  return (
    <span className={styles.badge} style={{ background: getRankColor(rank) }}>
      {rank}
    </span>
  );
}
