import { type ReactNode, useDeferredValue, useId, useMemo } from 'react';
import { countOf, formatCount } from '../lib/format/duration.ts';
import { useViewportWidth } from '../lib/use-viewport-width.ts';
import { csvOf } from './csv.ts';
import styles from './data-table.module.css';
import { download } from './download.ts';
import { Empty } from './empty.tsx';
import { ProblemNote } from './problem-note.tsx';
import { SortHeader } from './sort-header.tsx';
import { SkeletonBody, TableBody } from './table-body.tsx';
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
  /**
   * The rows are only the first of all in the order of `defaultSort`; the others are on their way while `loading`. What
   * cannot be known from the first (another order, a later page) is then waited for.
   */
  readonly isBeginning?: boolean;
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

const fewRows = 25;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, rows, columns, searchable = true, lineNumbers = false, actions, loading = false } = props;
  const isBeginning = props.isBeginning ?? false;
  const state = useTableState(name, {
    defaultSort: props.defaultSort ?? null,
    pageSize: props.pageSize ?? 10,
    prefix: props.addressPrefix ?? '',
  });
  const width = useViewportWidth();
  const countId = useId();

  const offered = useMemo(() => columns.filter((column) => width >= (column.hideBelow ?? 0)), [columns, width]);
  const shown = useMemo(
    () => offered.filter((column) => state.columns[column.id] ?? !column.optional),
    [offered, state.columns],
  );
  const deferred = useDeferredValue(state.search);
  // A page of a few rows is drawn sooner than a second drawing could begin.
  const search = state.size <= fewRows ? state.search : deferred;
  const { id: sortId, descending = false } = state.sort ?? {};
  const sorted = useMemo(
    () => (rows ? sortRows(rows, columns, sortId === undefined ? null : { id: sortId, descending }) : undefined),
    [rows, columns, sortId, descending],
  );
  const texts = useMemo(() => searchTexts(rows ?? [], columns), [rows, columns]);
  const found = useMemo(() => (sorted ? filterRows(sorted, texts, search) : undefined), [sorted, texts, search]);
  const page = useMemo(() => found && pageOf(found, state.page, state.size), [found, state.page, state.size]);
  const waits = isBeginning && loading;
  const isKnown =
    page && (!waits || (isSame(state.sort, props.defaultSort) && page.page === state.page && page.shown.length > 0));
  const firstNumber = page ? (page.page - 1) * state.size + 1 : 1;
  const columnCount = shown.length + Number(lineNumbers) + Number(actions !== undefined);
  // The same element while its rows are: what is typed into the search shows without drawing them again.
  const body = useMemo(
    () => page && <TableBody table={props} columns={shown} rows={page.shown} firstNumber={firstNumber} />,
    [props, shown, page, firstNumber],
  );

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
        exportCsv={props.csvName && found && found.length > 0 && !isBeginning ? exportCsv : null}
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
          {!isKnown && !props.error && <SkeletonBody rows={state.size} columns={columnCount} />}
          {isKnown && page.shown.length > 0 && body}
          {isKnown && page.shown.length === 0 && (
            <tbody>
              <tr className={styles.nothing}>
                <td colSpan={columnCount}>
                  {rows?.length === 0 ? (
                    <Empty text={props.emptyText} hint={props.emptyHint} />
                  ) : (
                    <Empty text={`Nothing matches “${search}”.`} onClear={() => state.setSearch('')} />
                  )}
                </td>
              </tr>
            </tbody>
          )}
        </table>
      </div>
      <div className={styles.foot}>
        <span id={countId} role="status">
          {isKnown && found && rows
            ? countText(found.length, rows.length, firstNumber, page.shown.length, isBeginning && { waits })
            : props.error && !loading
              ? 'Could not be loaded'
              : 'Loading …'}
        </span>
        {found && !waits && (
          <TablePages name={name} state={state} page={page?.page ?? 1} pages={page?.pages ?? 1} rows={found.length} />
        )}
      </div>
    </section>
  );
}

function isSame(one: Sort | null, other: Sort | null = null): boolean {
  return one?.id === other?.id && one?.descending === other?.descending;
}

/** `beginning`: not all rows are there, and whether the others are waited for. */
function countText(
  found: number,
  all: number,
  first: number,
  shown: number,
  beginning: false | { readonly waits: boolean },
): string {
  const rest = beginning ? `; the rest ${beginning.waits ? 'is loading …' : 'could not be loaded'}` : '';
  if (found === 0) return (all === 0 ? 'No rows' : `None of ${countOf(all, 'row')}`) + rest;
  const range = `${formatCount(first)}–${formatCount(first + shown - 1)} of `;
  const known = `${beginning ? 'the first ' : ''}${formatCount(all)}`;
  return (found === all ? range + known : `${range}${formatCount(found)}, found in ${known}`) + rest;
}
