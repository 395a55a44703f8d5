import { IconClockHour4 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAddress } from '../../state/use-address.ts';
import { Empty } from '../../ui/empty.tsx';
import { StatsChart } from './chart/stats-chart.tsx';
import styles from './db-spy.module.css';
import { LostTexts } from './filters/lost-texts.tsx';
import { StatsFilters } from './filters/stats-filters.tsx';
import { StatsScope } from './filters/stats-scope.tsx';
import { isFiltered, readChartChoice, readStatsFilter, withValues } from './stats-address.ts';
import { StatsTable } from './table/stats-table.tsx';
import { type StatsLoad, type StatsTarget, useStats, useTopStats } from './use-stats.ts';
import { isMissingPrerequisite, useStatsProblems } from './use-stats-problems.ts';

/** The statements of a target as a chart or a table. */
export function StatementStats(props: { target: StatsTarget; shown: 'chart' | 'table'; fileName: string }) {
  return props.shown === 'chart' ? <ChartedStats {...props} /> : <ListedStats {...props} />;
}

/** The chart, which loads only the statements it shows. */
function ChartedStats({ target }: { target: StatsTarget }) {
  const [address] = useAddress();
  const filter = readStatsFilter(address);
  const load = useTopStats(target, filter, readChartChoice(address));
  return (
    <StatsPanel load={load} count={load.stats.data?.count}>
      <LostTexts rows={load.stats.data?.rows} />
      <StatsChart target={target} load={load} filter={filter} />
    </StatsPanel>
  );
}

function ListedStats({ target, fileName }: { target: StatsTarget; fileName: string }) {
  const [address] = useAddress();
  const filter = readStatsFilter(address);
  const load = useStats(target, filter);
  return (
    <StatsPanel load={load} count={load.stats.data?.length}>
      <p className="line note">
        <IconClockHour4 size={15} stroke={1.6} aria-hidden />
        This is a heavy query that can take time.
      </p>
      <LostTexts rows={load.stats.data} />
      <StatsTable target={target} load={load} filter={filter} fileName={fileName} />
    </StatsPanel>
  );
}

/** The filters and the scope of the numbers, above the chart or the table. */
function StatsPanel(props: { load: StatsLoad<unknown>; count: number | undefined; children: ReactNode }) {
  const { load } = props;
  const { stats, context } = load;
  const [address, change] = useAddress();
  const filter = readStatsFilter(address);
  useStatsProblems(load, props.count, isFiltered(filter) || filter.range !== 'reset');
  return (
    <div className={styles.panel}>
      <StatsFilters filter={filter} onChange={(values) => change((current) => withValues(current, values))} />
      <StatsScope load={load} isRange={filter.range !== 'reset'} />
      {isMissingPrerequisite(stats.error, context.data) ? (
        <Empty text="No stats found!" hint="See above for what is missing and how to fix it." />
      ) : (
        <div className={styles.results} aria-busy={stats.isPlaceholderData} data-stale={stats.isPlaceholderData}>
          {props.children}
        </div>
      )}
    </div>
  );
}
