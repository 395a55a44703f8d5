import { type Metric, metricLabels, type StatRow, type StatsContext } from '@portal/contract/db-spy';
import { formatStatementTime } from '../../../format/durations.ts';
import { formatBytes, formatShare } from '../../../format/numbers.ts';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { formatExactly, formatMetric, getMetricName, isTime } from '../chart/stat-metrics.ts';
import styles from '../db-spy.module.css';
import { InnerMark } from '../statement/inner-mark.tsx';
import { toSqlHeadline } from '../statement/sql-headline.ts';
import { TrendCell } from '../trend/trend-cell.tsx';

/** Below this width, minimum, maximum and deviation are shown only where the user selects them. */
const narrowPx = 1200;

/** From this width, there is room for the trend beside all specified columns. */
const trendFromPx = 1600;

export const trendColumnId = 'trend';

/**
 * Returns the specified columns, the share, the trend, and the optional columns this server
 * records.
 */
export function getStatColumns(
  availableColumns: Readonly<StatsContext['columns']>,
  isAppTarget: boolean,
): DataColumn<StatRow>[] {
  return [
    {
      id: 'query',
      header: 'Query',
      // What the numbers leave of the table.
      width: '100%',
      value: (row) => row.query,
      cell: (row) => <QueryCell row={row} />,
    },
    metricColumn('calls'),
    metricColumn('total_time'),
    { ...metricColumn('min_time'), optionalBelow: narrowPx },
    { ...metricColumn('max_time'), optionalBelow: narrowPx },
    metricColumn('mean_time'),
    { ...metricColumn('stddev_time'), optionalBelow: narrowPx },
    // Two lines of its long header, where the others have two words.
    { ...metricColumn('rows'), wrapsFrom: 140 },
    {
      id: 'share',
      header: 'Share',
      align: 'right',
      value: (row) => row.share,
      cell: (row) => <ShareBar share={row.share} />,
    },
    {
      id: trendColumnId,
      header: 'Trend',
      optionalBelow: trendFromPx,
      sortable: false,
      value: () => null,
      cell: (row) => <TrendCell id={row.id} />,
    },
    { id: 'ranBy', header: 'Run by', optional: true, value: (row) => row.ranBy },
    ...(isAppTarget ? [matchedColumn] : []),
    ...optionalColumns.filter(({ id }) => availableColumns.some((column) => column === id)),
  ];
}

function metricColumn(metric: Metric): DataColumn<StatRow> {
  return {
    id: metric,
    header: metricLabels[metric],
    // The cells name their unit; exported numbers do not.
    csvHeader: getMetricName(metric),
    align: 'right',
    wrapsFrom: 0,
    // In seconds, so that search and export match what is shown.
    value: (row) => {
      const value = row[metric];
      return value === null || !isTime(metric) ? value : value / 1000;
    },
    cell: (row) => <MetricValue metric={metric} value={row[metric]} />,
  };
}

const matchedColumn: DataColumn<StatRow> = {
  id: 'matched',
  header: 'Matched because',
  optional: true,
  value: (row) => describeMatch(row.matched),
};

const optionalColumns: readonly (DataColumn<StatRow> & { readonly id: StatsContext['columns'][number] })[] = [
  {
    id: 'plan_time',
    header: 'Plan time',
    csvHeader: 'Plan time (s)',
    align: 'right',
    optional: true,
    value: (row) => (row.plan_time === null ? null : row.plan_time / 1000),
    cell: (row) => (row.plan_time === null ? '–' : formatStatementTime(row.plan_time)),
  },
  {
    id: 'cache_hit',
    header: 'Cache hit',
    align: 'right',
    optional: true,
    value: (row) => row.cache_hit,
    cell: (row) => (row.cache_hit === null ? '–' : formatShare(row.cache_hit)),
  },
  {
    id: 'io_time',
    header: 'I/O time',
    csvHeader: 'I/O time (s)',
    align: 'right',
    optional: true,
    value: (row) => (row.io_time === null ? null : row.io_time / 1000),
    cell: (row) => (row.io_time === null ? '–' : formatStatementTime(row.io_time)),
  },
  {
    id: 'temp_bytes',
    header: 'Temporary files',
    csvHeader: 'Temporary files (bytes)',
    align: 'right',
    optional: true,
    value: (row) => row.temp_bytes,
    cell: (row) => (row.temp_bytes === null ? '–' : formatBytes(row.temp_bytes)),
  },
  {
    id: 'wal_bytes',
    header: 'WAL',
    csvHeader: 'WAL (bytes)',
    align: 'right',
    optional: true,
    value: (row) => row.wal_bytes,
    cell: (row) => (row.wal_bytes === null ? '–' : formatBytes(row.wal_bytes)),
  },
];

/** Describes the rule that assigned the statement to the app. */
export function describeMatch(matched: StatRow['matched']): string | null {
  if (matched === undefined) return null;
  return matched === 'role' ? 'run by the app’s role' : 'mentions the app’s schema';
}

/** Two lines with the start of the statement, so that a cell never contains all of a long one. */
function QueryCell({ row }: { row: StatRow }) {
  const headline = toSqlHeadline(row.query);
  return (
    <div>
      <code className={styles.queryCell} title={headline}>
        {headline}
      </code>
      <InnerMark row={row} />
    </div>
  );
}

/** A formatted value, with the exact one as its tooltip. */
function MetricValue({ metric, value }: { metric: Metric; value: number | null }) {
  if (value === null) return <span className="quiet">–</span>;
  return (
    <span className={styles.number} title={formatExactly(metric, value)}>
      {formatMetric(metric, value)}
    </span>
  );
}

/** A fraction, as a number and as a bar. */
function ShareBar({ share }: { share: number }) {
  return (
    <span className={styles.share} title={`${share * 100} % of the total time`}>
      <span className={styles.shareLine} aria-hidden>
        <span style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
      {formatShare(share)}
    </span>
  );
}
