import { Skeleton } from '@mantine/core';
import { isAdditive, metricLabels, type TopStats } from '@portal/contract/db-spy';
import { lazy, Suspense, useMemo } from 'react';
import { formatCount, formatPlural, formatShare } from '../../../format/numbers.ts';
import { useAddress } from '../../../state/use-address.ts';
import { useViewportWidth } from '../../../state/use-viewport-width.ts';
import { Empty } from '../../../ui/empty.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { QueryDetail } from '../statement/query-detail.tsx';
import {
  type ChartChoice,
  getEmptyTexts,
  pickChartSize,
  readChartChoice,
  type StatsFilter,
  withValues,
} from '../stats-address.ts';
import { useOpenStatement } from '../use-open-statement.ts';
import type { StatsLoad, StatsTarget } from '../use-stats.ts';
import { ChartControls } from './chart-controls.tsx';
import { ChartedSql } from './charted-sql.tsx';
import { ChartedTable } from './charted-table.tsx';
import { maxSlices, type Slice, toSlices } from './pie-slices.ts';
import { type Ranking, toRanking } from './ranking.ts';
import { formatCharted, getMetricName } from './stat-metrics.ts';
import styles from './stats-chart.module.css';

/** Loaded with the first chart. If loading fails, the table next to it has the same data. */
const StatsPie = lazy(() =>
  import('./stats-pie.tsx').then(
    ({ StatsPie }) => ({ default: StatsPie }),
    () => ({ default: PieUnavailable }),
  ),
);

function PieUnavailable() {
  return <Empty text="The pie chart could not be loaded. Reload the page to see it." />;
}

const noStats: TopStats = { rows: [], count: 0, rest: null };

/** The statements with the highest values as a chart, in numbers and with their SQL. */
export function StatsChart(props: { target: StatsTarget; load: StatsLoad<TopStats>; filter: StatsFilter }) {
  const { stats, context } = props.load;
  const refresh = () => void stats.refetch();
  const [address, change] = useAddress();
  const { rows, count, rest } = stats.data ?? noStats;
  const requested = readChartChoice(address);
  const choice: ChartChoice = { ...requested, size: pickChartSize(requested.size, count) };
  const { metric, order, size } = choice;
  const ranking = useMemo(() => toRanking({ rows, rest }, metric), [rows, rest, metric]);
  const orderedRows = useMemo(() => ranking.ranked.map(({ row }) => row), [ranking]);
  const opened = useOpenStatement(rows);
  return (
    <div className="stack-l">
      <ChartControls
        choice={choice}
        rowCount={count}
        onChange={(values) => change((current) => withValues(current, values))}
      />
      {stats.error && <ProblemNote problem={stats.error} onRetry={refresh} hasStaleData={stats.data !== undefined} />}
      {stats.isPending && <ChartSkeleton />}
      {stats.data?.count === 0 && <Empty {...getEmptyTexts(props.filter)} />}
      {count > 0 && rows.length === 0 && (
        <Empty
          text={`${getMetricName(metric)} is not available for a time range.`}
          hint="The server records minimum and maximum times only since the last reset. Choose the range Since reset, or another metric."
        />
      )}
      {ranking.ranked.length > 0 && (
        <>
          <Drawing ranking={ranking} choice={choice} rowCount={count} onOpen={opened.open} />
          <ChartedSql key={`${metric} ${order} ${size}`} ranked={ranking.ranked} metric={metric} onOpen={opened.open} />
        </>
      )}
      <QueryDetail
        target={props.target}
        range={props.filter.range}
        rows={orderedRows}
        opened={opened}
        context={context.data}
      />
    </div>
  );
}

function Drawing(props: { ranking: Ranking; choice: ChartChoice; rowCount: number; onOpen: (id: string) => void }) {
  const { ranking, choice } = props;
  const { metric, view } = choice;
  const width = useViewportWidth();
  const slices = useMemo(() => toSlices(ranking), [ranking]);
  const isDrawable = slices.some(({ value }) => value > 0);
  return (
    <>
      <div className={styles.drawing} data-view={view}>
        {view === 'pie' && isDrawable && (
          <Suspense fallback={<Skeleton circle height={pieSize(width)} className={styles.pie} />}>
            <StatsPie
              slices={slices}
              metric={metric}
              size={pieSize(width)}
              label={`Pie chart of ${getMetricName(metric)}: ${describeSlices(slices, choice)}. The table next to it has the same data.`}
              onOpen={props.onOpen}
            />
          </Suspense>
        )}
        <div className={styles.chartedFrame}>
          <ChartedTable ranking={ranking} metric={metric} withBars={view === 'bars'} onOpen={props.onOpen} />
        </div>
      </div>
      <p className={styles.note}>{describeChart(ranking, choice, props.rowCount, isDrawable)}</p>
    </>
  );
}

function pieSize(width: number): number {
  return width < 400 ? 260 : 320;
}

function describeSlices(slices: readonly Slice[], { metric }: ChartChoice): string {
  const named = slices.slice(0, 5).map((slice) => {
    const text = isAdditive(metric) ? formatShare(slice.angle) : formatCharted(metric, slice.value);
    return `${slice.name} ${text}`;
  });
  return named.join(', ') + (slices.length > 5 ? ' and more' : '');
}

/** Explains what the chart shows and what it omits. */
function describeChart(ranking: Ranking, { metric, view }: ChartChoice, rowCount: number, isDrawable: boolean): string {
  const sentences: string[] = [];
  const { ranked } = ranking;
  if (!isDrawable && ranked.every(({ value }) => value === 0))
    sentences.push('Every charted value is 0, so there is nothing to draw.');
  if (ranked.some(({ isCountedElsewhere }) => isCountedElsewhere))
    sentences.push(
      `The time of inner statements is part of that of the statements that ran them${view === 'pie' ? ', so they have no slice' : ''}.`,
    );
  sentences.push(
    isAdditive(metric)
      ? `Shares are of all ${formatPlural(rowCount, 'statement')} found, including “Other”.`
      : `${metricLabels[metric]}s cannot be added up, so there is no “Other”. The ${
          view === 'pie' ? 'slices' : 'bars'
        } compare these ${formatCount(ranking.ranked.length)} with each other. Share of total time compares each with all statements.`,
  );
  if (view === 'pie' && ranking.ranked.length > maxSlices) {
    sentences.push(
      isAdditive(metric)
        ? `The pie shows the first ${maxSlices} and adds the rest to Other; the bars show all of them.`
        : `The pie shows the first ${maxSlices}; the bars show all of them.`,
    );
  }
  return sentences.join(' ');
}

function ChartSkeleton() {
  return (
    <div className={styles.drawing} data-view="pie">
      <Skeleton circle height={320} className={styles.pie} />
      <div className={styles.chartedFrame}>
        {[72, 54, 63, 48, 57].map((width) => (
          <Skeleton key={width} height={14} my={13} width={`${width}%`} />
        ))}
      </div>
    </div>
  );
}
