import type { StatRow } from '@portal/contract/db-spy';
import { useCallback, useMemo, useState } from 'react';
import { useAddress } from '../../../state/use-address.ts';
import { readTableAddress } from '../../../ui/table/address.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { sortRows } from '../../../ui/table/rows.ts';
import { QueryDetail } from '../statement/query-detail.tsx';
import { getEmptyTexts, type StatsFilter } from '../stats-address.ts';
import { ShownTrends } from '../trend/trend-cell.tsx';
import { useOpenStatement } from '../use-open-statement.ts';
import { type StatsLoad, type StatsTarget, useTrends } from '../use-stats.ts';
import { getStatColumns, trendColumnId } from './stats-columns.tsx';

const defaultSort = { id: 'total_time', descending: true } as const;
const noColumns: readonly never[] = [];

/** All statements with their numbers; a click opens the details. */
export function StatsTable(props: {
  target: StatsTarget;
  load: StatsLoad<StatRow[]>;
  filter: StatsFilter;
  fileName: string;
}) {
  const { stats, context } = props.load;
  const refresh = () => void stats.refetch();
  const availableColumns = context.data?.columns ?? noColumns;
  const empty = getEmptyTexts(props.filter);
  const isAppTarget = 'appId' in props.target;
  const columns = useMemo(() => getStatColumns(availableColumns, isAppTarget), [availableColumns, isAppTarget]);
  const [address] = useAddress();
  const { sort } = readTableAddress(address);
  const { id: sortId, descending } = sort ?? defaultSort;
  const opened = useOpenStatement(stats.data);
  const isOpen = opened.id !== null;
  // Previous and Next follow the order of the table. It is computed only while a statement is open.
  const orderedRows = useMemo(() => {
    if (!isOpen || !stats.data) return [];
    return sortRows(stats.data, columns, { id: sortId, descending });
  }, [isOpen, stats.data, columns, sortId, descending]);
  const [shownIds, setShownIds] = useState<readonly string[]>([]);
  const showTrends = useCallback((rows: readonly StatRow[], shown: readonly DataColumn<StatRow>[]) => {
    const hasTrends = shown.some(({ id }) => id === trendColumnId);
    setShownIds(hasTrends ? rows.map(({ id }) => id) : []);
  }, []);
  const trends = useTrends(props.target, props.filter.range, shownIds);
  return (
    <ShownTrends value={trends.data}>
      <DataTable<StatRow>
        name="Query statistics"
        rows={stats.data}
        isPrevious={stats.isPlaceholderData}
        rowId={(row) => row.id}
        columns={columns}
        defaultSort={defaultSort}
        // The filter "SQL contains, or role is" searches the full texts, of which these are the
        // beginnings.
        searchable={false}
        loading={stats.isFetching}
        error={stats.error}
        onRetry={refresh}
        onRowClick={(row) => opened.open(row.id)}
        onShow={showTrends}
        csvName={props.fileName}
        emptyText={empty.text}
        emptyHint={empty.hint}
      />
      <QueryDetail
        target={props.target}
        range={props.filter.range}
        rows={orderedRows}
        opened={opened}
        context={context.data}
      />
    </ShownTrends>
  );
}
