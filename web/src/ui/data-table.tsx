import { Skeleton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useMemo } from 'react';
import { useViewportWidth } from '../lib/use-viewport-width.ts';
import { csvOf } from './csv.ts';
import styles from './data-table.module.css';
import { download } from './download.ts';
import { countOf, formatCount } from './duration.ts';
import { Empty } from './empty.tsx';
import { ProblemNote } from './problem-note.tsx';
import { SortHeader } from './sort-header.tsx';
import { TablePages } from './table-pages.tsx';
import { type CellValue, filterRows, pageOf, type Sort, searchTexts, sortRows } from './table-rows.ts';
import { TableToolbar } from './table-toolbar.tsx';
import type { Tone } from './tone.ts';
import { useTableState } from './use-table-state.ts';

export interface DataColumn<Row> {
  readonly id: string;
  readonly header: string;
  /** What the column is sorted, searched and exported by. */
  readonly value: (row: Row) => CellValue;
  /** How it is shown, where that is not its value. */
  readonly cell?: (row: Row) => ReactNode;
  readonly align?: 'left' | 'right';
  readonly width?: number | string;
  /** Hidden while the window is narrower than this many pixels. */
  readonly hideBelow?: number;
  /** true unless said otherwise */
  readonly sortable?: boolean;
  /** Hidden until the user chooses it. */
  readonly optional?: boolean;
}

export interface DataTableProps<Row> {
  /** Names the table to people and in what is remembered: "Apps". */
  readonly name: string;
  /** undefined while nothing has been loaded yet */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  /** The same array from one drawing to the next: large lists are sorted and made searchable once per array. */
  readonly columns: readonly DataColumn<Row>[];
  readonly defaultSort?: Sort;
  readonly lineNumbers?: boolean;
  readonly searchable?: boolean;
  readonly emptyText: string;
  /** The next step, where there is one. */
  readonly emptyHint?: ReactNode;
  readonly loading?: boolean;
  /** What went wrong with the last load; rows that are there stay. */
  readonly error?: unknown;
  readonly onRetry?: () => void;
  readonly onRowClick?: (row: Row) => void;
  readonly rowTone?: (row: Row) => Tone | null;
  readonly pageSize?: number;
  /** The last column, 'Actions'. */
  readonly actions?: (row: Row) => ReactNode;
  /** File name without ending; without it there is no export. */
  readonly csvName?: string;
  /** Filters and buttons of the page, beside the search. */
  readonly toolbar?: ReactNode;
  /** Where a page has two tables: keeps their states apart in the address. */
  readonly addressPrefix?: string;
  /** Many columns: the table scrolls sideways already in windows of the usual width. */
  readonly wide?: boolean;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, rows, columns, searchable = true, lineNumbers = false, actions, loading = false } = props;
  const state = useTableState(name, {
    defaultSort: props.defaultSort ?? null,
    pageSize: props.pageSize ?? 10,
    prefix: props.addressPrefix ?? '',
  });
  const width = useViewportWidth();
  const countId = useId();

  const offered = columns.filter((column) => width >= (column.hideBelow ?? 0));
  const shown = offered.filter((column) => state.columns[column.id] ?? !column.optional);
  const search = useDeferredValue(state.search);
  const { id: sortId, descending = false } = state.sort ?? {};
  const sorted = useMemo(
    () => (rows ? sortRows(rows, columns, sortId === undefined ? null : { id: sortId, descending }) : undefined),
    [rows, columns, sortId, descending],
  );
  const texts = useMemo(() => searchTexts(rows ?? [], columns), [rows, columns]);
  const found = useMemo(() => (sorted ? filterRows(sorted, texts, search) : undefined), [sorted, texts, search]);
  const page = found && pageOf(found, state.page, state.size);
  const firstNumber = page ? (page.page - 1) * state.size + 1 : 1;
  const columnCount = shown.length + Number(lineNumbers) + Number(actions !== undefined);

  const exportCsv = () => {
    if (!found || !props.csvName) return;
    const values = found.map((row) => shown.map((column) => column.value(row)));
    download(
      `${props.csvName}.csv`,
      csvOf(
        shown.map((column) => column.header),
        values,
      ),
      'text/csv;charset=utf-8',
    );
  };

  return (
    <section className={styles.root} aria-label={name}>
      <TableToolbar
        name={name}
        state={state}
        searchable={searchable}
        columns={offered}
        exportCsv={props.csvName && found && found.length > 0 ? exportCsv : null}
      >
        {props.toolbar}
      </TableToolbar>
      {props.error ? <ProblemNote problem={props.error} onRetry={props.onRetry} keptData={rows !== undefined} /> : null}
      <div className={styles.frame} data-wide={props.wide || undefined}>
        {/* On narrow windows the rows are shown as cards, by style alone: it stays a table to screen readers. */}
        <table className={styles.table} aria-describedby={countId} aria-busy={loading}>
          <thead>
            <tr>
              {lineNumbers && (
                <th scope="col" className={styles.number}>
                  #
                </th>
              )}
              {shown.map((column) => (
                <SortHeader key={column.id} column={column} sort={state.sort} onSort={state.setSort} />
              ))}
              {actions && (
                <th scope="col" className={styles.actions}>
                  Actions
                </th>
              )}
            </tr>
          </thead>
          <tbody onKeyDown={moveBetweenRows}>
            {!page && !props.error && <SkeletonRows rows={state.size} columns={columnCount} />}
            {page?.shown.map((row, index) => (
              <tr
                key={props.rowId(row)}
                className={props.onRowClick && styles.clickable}
                data-tone={props.rowTone?.(row) ?? undefined}
                tabIndex={props.onRowClick && (index === 0 ? 0 : -1)}
                onClick={(event) => {
                  if (props.onRowClick && !isOnControl(event.target) && !hasSelection()) props.onRowClick(row);
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && event.target === event.currentTarget) props.onRowClick?.(row);
                }}
              >
                {lineNumbers && <td className={styles.number}>{formatCount(firstNumber + index)}</td>}
                {shown.map((column, place) => (
                  <td key={column.id} data-label={place === 0 ? undefined : column.header} data-align={column.align}>
                    {column.cell ? column.cell(row) : asText(column.value(row))}
                  </td>
                ))}
                {actions && <td className={styles.actions}>{actions(row)}</td>}
              </tr>
            ))}
            {page && page.shown.length === 0 && (
              <tr className={styles.nothing}>
                <td colSpan={columnCount}>
                  {rows?.length === 0 ? (
                    <Empty text={props.emptyText} hint={props.emptyHint} />
                  ) : (
                    <Empty text={`Nothing matches “${search}”.`} onClear={() => state.setSearch('')} />
                  )}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <div className={styles.foot}>
        <span id={countId} role="status" className={styles.count}>
          {page && found && rows ? countText(found.length, rows.length, firstNumber, page.shown.length) : 'Loading …'}
        </span>
        {found && (
          <TablePages name={name} state={state} page={page?.page ?? 1} pages={page?.pages ?? 1} rows={found.length} />
        )}
      </div>
    </section>
  );
}

function countText(found: number, all: number, first: number, shown: number): string {
  if (found === 0) return all === 0 ? 'No rows' : `None of ${countOf(all, 'row')}`;
  const range = `${formatCount(first)}–${formatCount(first + shown - 1)} of ${formatCount(found)}`;
  return found === all ? range : `${range}, found in ${formatCount(all)}`;
}

function asText(value: CellValue): string {
  if (value === null) return '–';
  return typeof value === 'number' ? formatCount(value) : String(value);
}

/** Lines where the rows will be, of different length so that they do not look like a form. */
function SkeletonRows({ rows, columns }: { rows: number; columns: number }) {
  return upTo(Math.min(rows, 10)).map((row) => (
    <tr key={row}>
      {upTo(columns).map((column) => (
        <td key={column}>
          <Skeleton height={12} my={4} width={`${50 + ((row * 7 + column * 13) % 40)}%`} />
        </td>
      ))}
    </tr>
  ));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function isOnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, select, label, [role="menu"]') !== null;
}

/** Marking text in a row is not a click on it. */
function hasSelection(): boolean {
  return window.getSelection()?.isCollapsed === false;
}

/** Arrow keys walk the rows; Home and End jump. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (!(event.target instanceof HTMLTableRowElement)) return;
  const rows = [...event.currentTarget.rows];
  const here = rows.indexOf(event.target);
  const goals: Record<string, number> = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 };
  const goal = rows[goals[event.key] ?? -1];
  if (!goal) return;
  event.preventDefault();
  goal.focus();
}
