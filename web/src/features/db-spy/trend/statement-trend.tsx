import { Skeleton } from '@mantine/core';
import { otherApps, type StatementTrend, type StatsRange } from '@portal/contract/db-spy';
import { formatStatementTime } from '../../../format/durations.ts';
import { formatInstant } from '../../../format/instants.ts';
import { formatCount, sum } from '../../../format/numbers.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { TrendBars } from '../../../ui/trend-bars.tsx';
import { type StatsTarget, useTrends } from '../use-stats.ts';
import { describeRange, noSnapshotsText, notCountedText } from './describe-trend.ts';
import styles from './trend.module.css';
import { describePeriods, formatAxisTime } from './trend-times.ts';

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
        <TrendChart name="Calls" takenAt={takenAt} values={trend.calls} format={formatCount} />
        <TrendChart name="Total Time" takenAt={takenAt} values={trend.total_time} format={formatStatementTime} />
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

function TrendChart(props: {
  name: string;
  takenAt: readonly string[];
  values: readonly number[];
  format: (value: number) => string;
}) {
  const { name, takenAt, values, format } = props;
  const periods = describePeriods(takenAt);
  return (
    <figure>
      <TrendBars
        values={values}
        label={`${name} per interval: ${describeRange(values, format)}`}
        hints={values.map((value, index) => `${periods[index] ?? ''}: ${format(value)}`)}
        size="large"
      />
      <TimeAxis takenAt={takenAt} />
      <figcaption>
        {name} {format(sum(values))}, at most {format(Math.max(...values))} between two snapshots
      </figcaption>
    </figure>
  );
}

/** The times at the beginning, the middle and the end of the bars. */
function TimeAxis({ takenAt }: { takenAt: readonly string[] }) {
  const bars = takenAt.length - 1;
  // The middle of an odd number of bars is within one of them.
  const shown = bars > 1 && bars % 2 === 0 ? [0, bars / 2, bars] : [0, bars];
  return (
    <div className={styles.axis}>
      {shown.map((at) => {
        const time = takenAt[at] ?? '';
        return (
          <time key={time} dateTime={time} title={formatInstant(new Date(time), false)}>
            {formatAxisTime(time, takenAt)}
          </time>
        );
      })}
    </div>
  );
}
