import { useDeferredValue, useMemo } from 'react';
import { useViewportWidth } from '../lib/use-viewport-width.ts';
import type { DataColumn, DataTableProps } from './data-table.types.ts';
import { filterRows, pageOf, type Sort, searchTexts, sortRows } from './table-rows.ts';
import { useTableState } from './use-table-state.ts';

/** A page of this many rows is drawn sooner than a second drawing could begin. */
const fewRows = 25;

/** The rows of a table that are found, and which of them are on the screen. */
export interface TablePage<Row> {
  readonly found: readonly Row[];
  readonly shown: readonly Row[];
  /** Counts from 1, as `pages` does. */
  readonly page: number;
  readonly pages: number;
  /** The line number of the first row shown. */
  readonly firstNumber: number;
}

/** Works out what a table shows: its columns, and the page of the rows that are found. */
export function useTableModel<Row>(props: DataTableProps<Row>) {
  const { rows, columns, defaultSort = null, isBeginning = false, loading = false } = props;
  const state = useTableState(props.name, {
    defaultSort,
    pageSize: props.pageSize ?? 10,
    prefix: props.addressPrefix ?? '',
  });
  const deferred = useDeferredValue(state.search);
  const search = state.size <= fewRows ? state.search : deferred;
  const found = useFound(rows, columns, state.sort, search);
  const page = useMemo(() => found && pageFrom(found, state.page, state.size), [found, state.page, state.size]);
  const isWaiting = isBeginning && loading;
  return {
    state,
    ...useShownColumns(columns, state.columns),
    search,
    /** Whether rows are still missing that are on their way. */
    isWaiting,
    /** undefined while it is not known which rows belong on it. */
    page: page && isWaiting && !isOfBeginning(page, state, defaultSort) ? undefined : page,
  };
}

/** `offered` fit the window; `shown` are those of them that the user wants to see. */
function useShownColumns<Row>(columns: readonly DataColumn<Row>[], chosen: Readonly<Record<string, boolean>>) {
  const width = useViewportWidth();
  return useMemo(() => {
    const offered = columns.filter((column) => width >= (column.hideBelow ?? 0));
    return { offered, shown: offered.filter((column) => chosen[column.id] ?? !column.optional) };
  }, [columns, width, chosen]);
}

/**
 * Sorts once per order, makes searchable once per list: a keystroke costs one pass over strings.
 */
function useFound<Row>(
  rows: readonly Row[] | undefined,
  columns: readonly DataColumn<Row>[],
  sort: Sort | null,
  search: string,
): readonly Row[] | undefined {
  const { id, descending = false } = sort ?? {};
  const sorted = useMemo(
    () => rows && sortRows(rows, columns, id === undefined ? null : { id, descending }),
    [rows, columns, id, descending],
  );
  const texts = useMemo(() => searchTexts(rows ?? [], columns), [rows, columns]);
  return useMemo(() => sorted && filterRows(sorted, texts, search), [sorted, texts, search]);
}

function pageFrom<Row>(found: readonly Row[], wanted: number, size: number): TablePage<Row> {
  const { page, pages, shown } = pageOf(found, wanted, size);
  return { found, shown, page, pages, firstNumber: (page - 1) * size + 1 };
}

/**
 * Whether a page of the first rows is the same page of all of them: in their own order, and not
 * beyond them.
 */
function isOfBeginning(
  page: TablePage<unknown>,
  state: { readonly sort: Sort | null; readonly page: number },
  defaultSort: Sort | null,
): boolean {
  const isInOrder = state.sort?.id === defaultSort?.id && state.sort?.descending === defaultSort?.descending;
  return isInOrder && page.page === state.page && page.shown.length > 0;
}
