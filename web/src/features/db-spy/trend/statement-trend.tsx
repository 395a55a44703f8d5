import { Skeleton } from '@mantine/core';
import { otherApps, type StatementTrend, type StatsRange } from '@portal/contract/db-spy';
import { formatCount, formatInstant, formatStatementTime } from '../../../lib/format.ts';
import { sum } from '../../../lib/sum.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { TrendBars } from '../../../ui/trend-bars.tsx';
import { type StatsTarget, useTrends } from '../use-stats.ts';
import { describeRange, noSnapshotsText, notCountedText } from './describe-trend.ts';
import styles from './trend.module.css';

/** How often a statement ran between the snapshots of the last day or of the chosen range. */
export function StatementTrendSection(props: { target: StatsTarget; range: StatsRange; id: string }) {
  const { data, error, isPending, refetch } = useTrends(props.target, props.range, [props.id]);
  if (props.id === otherApps.id) return null;
  const trend = data?.trends[0];
  return (
    <section className={styles.trend} aria-label="Trend">
      <h3>Trend</h3>
      {error && <ProblemNote problem={error} onRetry={() => void refetch()} hasStaleData={data !== undefined} />}
      {isPending && <Skeleton height={72} />}
      {data && data.takenAt.length < 2 && <p className="note">{noSnapshotsText}</p>}
      {data && data.takenAt.length >= 2 && !trend && <p className="note">{notCountedText}</p>}
      {data && data.takenAt.length >= 2 && trend && <TrendCharts takenAt={data.takenAt} trend={trend} />}
    </section>
  );
}

function TrendCharts({ takenAt, trend }: { takenAt: readonly string[]; trend: StatementTrend }) {
  return (
    <>
      <div className={styles.charts}>
        <TrendChart name="Calls" values={trend.calls} format={formatCount} />
        <TrendChart name="Total Time" values={trend.total_time} format={formatStatementTime} />
      </div>
      <details>
        <summary>Values between the snapshots</summary>
        <table aria-label="Values between the snapshots">
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col" data-align="right">
                Calls
              </th>
              <th scope="col" data-align="right">
                Total Time
              </th>
            </tr>
          </thead>
          <tbody>
            {takenAt.slice(1).map((to, index) => (
              <tr key={to}>
                <td>{formatInstant(new Date(takenAt[index] ?? to), false)}</td>
                <td>{formatInstant(new Date(to), false)}</td>
                <td data-align="right">{formatCount(trend.calls[index] ?? 0)}</td>
                <td data-align="right">{formatStatementTime(trend.total_time[index] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function TrendChart(props: { name: string; values: readonly number[]; format: (value: number) => string }) {
  const { name, values, format } = props;
  return (
    <figure>
      <TrendBars values={values} label={`${name} per interval: ${describeRange(values, format)}`} size="large" />
      <figcaption>
        {name} {format(sum(values))}, at most {format(Math.max(...values))} between two snapshots
      </figcaption>
    </figure>
  );
}
