import { IconClockHour4 } from '@tabler/icons-react';
import { useAddress } from '../../lib/use-address.ts';
import { Empty } from '../../ui/empty.tsx';
import { StatsChart } from './chart/stats-chart.tsx';
import styles from './db-spy.module.css';
import { StatsFilters } from './filters/stats-filters.tsx';
import { StatsScope } from './filters/stats-scope.tsx';
import { isFiltered, readStatsFilter, withValues } from './stats-address.ts';
import { StatsTable } from './table/stats-table.tsx';
import { type StatsTarget, useStats } from './use-stats.ts';
import { isMissingPrerequisite, useStatsProblems } from './use-stats-problems.ts';

/** The filters and the scope of the numbers, above the chart or the table. */
export function StatementStats(props: { target: StatsTarget; shown: 'chart' | 'table'; fileName: string }) {
  const { target, shown } = props;
  const [address, change] = useAddress();
  const filter = readStatsFilter(address);
  const load = useStats(target, filter);
  const { stats, context } = load;
  useStatsProblems(load, isFiltered(filter) || filter.range !== 'reset');
  return (
    <div className={styles.panel}>
      <StatsFilters filter={filter} onChange={(values) => change((current) => withValues(current, values))} />
      <StatsScope load={load} isRange={filter.range !== 'reset'} />
      {isMissingPrerequisite(stats.error, context.data) ? (
        <Empty text="No stats found!" hint="See above for what is missing and how to fix it." />
      ) : (
        <div className={styles.results} aria-busy={stats.isPlaceholderData} data-stale={stats.isPlaceholderData}>
          {shown === 'chart' ? (
            <StatsChart target={target} load={load} filter={filter} />
          ) : (
            <>
              <p className="line note">
                <IconClockHour4 size={15} stroke={1.6} aria-hidden />
                This is a heavy query that can take time.
              </p>
              <StatsTable target={target} load={load} filter={filter} fileName={props.fileName} />
            </>
          )}
        </div>
      )}
    </div>
  );
}
