import { metricLabels, type StatRow, type StatsContext, type StatsRange } from '@portal/contract/db-spy';
import type { ReactNode } from 'react';
import { formatStatementTime } from '../../../format/durations.ts';
import { formatBytes, formatShare } from '../../../format/numbers.ts';
import { LongWords } from '../../../ui/long-words.tsx';
import { formatExactly, formatMetric } from '../chart/stat-metrics.ts';
import { describeMatch } from '../table/stats-columns.tsx';
import { innerText } from './inner-mark.tsx';
import styles from './query-detail.module.css';

const metricsInOrder = ['calls', 'total_time', 'mean_time', 'min_time', 'max_time', 'stddev_time', 'rows'] as const;

/** All numbers of a statement, who ran it, and its share of the total. */
export function QueryFacts(props: { row: StatRow; range: StatsRange; context: StatsContext | undefined }) {
  const { row, context } = props;
  const isAvailable = (column: StatsContext['columns'][number]) => context?.columns.includes(column) ?? false;
  return (
    <dl className={styles.facts}>
      <Fact name="Share of total time" title={`${row.share * 100} %`}>
        {formatShare(row.share)}
      </Fact>
      {metricsInOrder.map((metric) => {
        const value = row[metric];
        return (
          <Fact
            key={metric}
            name={metricLabels[metric]}
            title={
              value === null
                ? unavailableTexts[props.range === 'reset' ? 'reset' : 'range']
                : formatExactly(metric, value)
            }
          >
            {formatMetric(metric, value)}
          </Fact>
        );
      })}
      {row.calls > 0 && <Fact name="Rows per call">{formatMetric('rows', row.rows / row.calls)}</Fact>}
      <Fact name="Run by">
        <LongWords text={row.ranBy ?? 'a deleted role'} />
      </Fact>
      {row.isInner && (
        <Fact name="Ran inside" title={innerText}>
          another statement, whose time includes it
        </Fact>
      )}
      {row.matched && <Fact name="Matched because">{describeMatch(row.matched)}</Fact>}
      {isAvailable('plan_time') && <Fact name="Plan time">{formatOrDash(row.plan_time, formatStatementTime)}</Fact>}
      {isAvailable('cache_hit') && <Fact name="Cache hit">{formatOrDash(row.cache_hit, formatShare)}</Fact>}
      {isAvailable('io_time') && <Fact name="I/O time">{formatOrDash(row.io_time, formatStatementTime)}</Fact>}
      {isAvailable('temp_bytes') && <Fact name="Temporary files">{formatOrDash(row.temp_bytes, formatBytes)}</Fact>}
      {isAvailable('wal_bytes') && <Fact name="WAL">{formatOrDash(row.wal_bytes, formatBytes)}</Fact>}
    </dl>
  );
}

const unavailableTexts = {
  reset: 'Unknown: it was reset, and the statement has not run since',
  range: 'Recorded only for the whole time since the last reset',
} as const;

function formatOrDash(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}

function Fact({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={title}>{children}</dd>
    </div>
  );
}
