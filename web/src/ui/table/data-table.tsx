import { useEffect, useId, useMemo } from 'react';
import { download } from '../download.ts';
import { Empty } from '../empty.tsx';
import { ProblemNote } from '../problem-note.tsx';
import { SkeletonBody, TableBody } from './body.tsx';
import { describeCount } from './count.ts';
import { toCsv } from './csv.ts';
import styles from './data-table.module.css';
import type { DataColumn, DataTableProps } from './data-table.types.ts';
import { fitFrame } from './fit-frame.ts';
import { guardClicks } from './guard-clicks.ts';
import { TableHead } from './head.tsx';
import { TablePages } from './pages.tsx';
import { TableToolbar } from './toolbar.tsx';
import { useTableModel } from './use-table-model.ts';

/** A table with search, sorting, pages and CSV export. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, rows, error, csvName, loading = false, isPartial = false } = props;
  const { rowId, rowTone, onRowClick, actions, lineNumbers = false } = props;
  const { state, offered, shown, search, isWaiting, page, area, isOutOfOrder, sortAgain } = useTableModel(props);
  const { onShow } = props;
  useEffect(() => {
    if (page) onShow?.(page.shown, shown);
  }, [page, shown, onShow]);
  useEffect(() => guardClicks(area.current), [area]);
  const countId = useId();
  const columnCount = shown.length + Number(lineNumbers) + Number(actions !== undefined);
  // The same element as long as what it shows is, so that neither typing in the search nor its
  // address renders the rows again.
  const body = useMemo(
    () => page && <TableBody {...{ rowId, rowTone, onRowClick, actions, lineNumbers, columns: shown, page }} />,
    [rowId, rowTone, onRowClick, actions, lineNumbers, shown, page],
  );
  const canExport = page && page.found.length > 0 && !isPartial;
  return (
    <section className={styles.root} aria-label={name}>
      <TableToolbar
        name={name}
        state={state}
        searchable={props.searchable ?? true}
        columns={offered}
        shown={shown}
        namedOrder={props.namedOrder ?? null}
        exportCsv={csvName && canExport ? () => downloadCsv(csvName, shown, page.found) : null}
      >
        {typeof props.toolbar === 'function' ? props.toolbar(page?.found ?? []) : props.toolbar}
      </TableToolbar>
      {error ? (
        <ProblemNote
          title={props.errorTitle}
          problem={error}
          onRetry={props.onRetry}
          hasStaleData={rows !== undefined}
        />
      ) : null}
      <div ref={area}>
        <div className={styles.frame} ref={fitFrame}>
          {/* On narrow windows CSS shows the rows as cards; for screen readers it remains a table. */}
          <table className={styles.table} aria-label={name} aria-describedby={countId} aria-busy={loading}>
            <TableHead columns={shown} state={state} lineNumbers={lineNumbers} hasActions={actions !== undefined} />
            {!page && !error && <SkeletonBody rows={state.size} columns={columnCount} />}
            {page && page.shown.length > 0 && body}
            {page?.shown.length === 0 && (
              <tbody>
                <tr className={styles.nothing}>
                  <td colSpan={columnCount}>
                    {rows?.length === 0 ? (
                      <Empty text={props.emptyText} hint={props.emptyHint} />
                    ) : (
                      <Empty text={`No matches for “${search}”.`} onClear={() => state.setSearch('')} />
                    )}
                  </td>
                </tr>
              </tbody>
            )}
          </table>
        </div>
        <div className={styles.foot}>
          <span>
            <span id={countId} role="status">
              {page && rows
                ? describeCount(page, rows.length, isPartial ? (isWaiting ? 'loading' : 'failed') : null)
                : error && !loading
                  ? 'Could not be loaded'
                  : 'Loading …'}
            </span>
            {isOutOfOrder && (
              <button type="button" className={styles.sortAgain} onClick={sortAgain}>
                Order changed: sort again
              </button>
            )}
          </span>
          {page && !isWaiting && <TablePages name={name} state={state} page={page} />}
        </div>
      </div>
    </section>
  );
}

function downloadCsv<Row>(fileName: string, columns: readonly DataColumn<Row>[], rows: readonly Row[]): void {
  const headers = columns.map(({ header, csvHeader = header }) => csvHeader);
  const values = rows.map((row) => columns.map((column) => column.value(row)));
  download(`${fileName}.csv`, toCsv(headers, values), 'text/csv;charset=utf-8');
}
