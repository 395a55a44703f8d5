import { useDeferredValue, useMemo, useRef } from 'react';
import { useViewportWidth } from '../../state/use-viewport-width.ts';
import type { DataColumn, DataTableProps } from './data-table.types.ts';
import { filterRows, paginate, type RowField, type Sort, searchTexts, sortRows } from './rows.ts';
import { useHeldOrder } from './use-held-order.ts';
import { useTableState } from './use-table-state.ts';

/** Pages up to this size render faster than a deferred update would start. */
const maxImmediateRows = 25;

/** The rows found by the search, and the ones on the current page. */
export interface TablePage<Row> {
  readonly found: readonly Row[];
  readonly shown: readonly Row[];
  /** The shown rows that are no longer found, and keep their place until the user leaves. */
  readonly removed: ReadonlySet<Row>;
  /** Counts from 1, like `pages`. */
  readonly page: number;
  readonly pages: number;
  /** The line number of the first visible row. */
  readonly firstNumber: number;
}

/** Computes what a table shows: its columns and the current page of matching rows. */
export function useTableModel<Row>(props: DataTableProps<Row>) {
  const { columns, defaultSort = null, namedOrder, isPartial = false, isPrevious = false, loading = false } = props;
  const rows = useRows(props.rows);
  const area = useRef<HTMLDivElement>(null);
  const state = useTableState(props.name, {
    defaultSort,
    namedOrderId: namedOrder?.id,
    pageSize: props.pageSize ?? 10,
    prefix: props.addressPrefix ?? '',
  });
  const deferred = useDeferredValue(state.search);
  const entered = state.size <= maxImmediateRows ? state.search : deferred;
  // An address can have a search that the page could neither show nor clear.
  const search = props.searchable === false ? '' : entered;
  const fields = useMemo(() => (namedOrder ? [...columns, namedOrder] : columns), [columns, namedOrder]);
  const found = useFoundRows({ rows, columns, fields, sort: state.sort, search });
  const { ordered, ...order } = useHeldOrder({
    area,
    rows,
    found,
    rowId: props.rowId,
    view: JSON.stringify([state.sort, search, isPartial, isPrevious]),
  });
  const { page: requestedPage, size } = state;
  const page = useMemo(
    () => found && ordered && toTablePage({ found, ordered, requestedPage, size }),
    [found, ordered, requestedPage, size],
  );
  const isWaiting = isPartial && loading;
  return {
    state,
    ...useShownColumns(columns, state.columns),
    search,
    /** The part of the page in which rows keep their places while it is in use. */
    area,
    ...order,
    /** Whether more rows are still loading. */
    isWaiting,
    /** undefined until it is known which rows belong on the page. */
    page: page && isWaiting && !isKnownPage(page, state, defaultSort) ? undefined : page,
  };
}

/**
 * The first rows of a table that was shown without them are rendered a few at a time, so that the
 * page stays responsive.
 */
function useRows<Row>(rows: readonly Row[] | undefined): readonly Row[] | undefined {
  const hasRows = useDeferredValue(rows !== undefined);
  return hasRows ? rows : undefined;
}

/** `shown` are the `offered` columns that the user has selected, or the default ones. */
function useShownColumns<Row>(columns: readonly DataColumn<Row>[], visibility: Readonly<Record<string, boolean>>) {
  const width = useViewportWidth();
  return useMemo(() => {
    const offered = columns.filter((column) => width >= (column.hideBelow ?? 0));
    const isDefault = ({ optional, optionalBelow = 0 }: DataColumn<Row>) => !optional && width >= optionalBelow;
    return { offered, shown: offered.filter((column) => visibility[column.id] ?? isDefault(column)) };
  }, [columns, width, visibility]);
}

/** Sorts once per order and indexes once per list, so that a keystroke only scans strings. */
function useFoundRows<Row>(options: {
  rows: readonly Row[] | undefined;
  columns: readonly DataColumn<Row>[];
  /** What the rows can be sorted by. */
  fields: readonly RowField<Row>[];
  sort: Sort | null;
  search: string;
}): readonly Row[] | undefined {
  const { rows, columns, fields, sort, search } = options;
  const { id, descending = false } = sort ?? {};
  const sorted = useMemo(
    () => rows && sortRows(rows, fields, id === undefined ? null : { id, descending }),
    [rows, fields, id, descending],
  );
  const texts = useMemo(() => searchTexts(rows ?? [], columns), [rows, columns]);
  return useMemo(() => sorted && filterRows(sorted, texts, search), [sorted, texts, search]);
}

function toTablePage<Row>(options: {
  found: readonly Row[];
  /** The found rows in the order in which they are shown, with those removed since. */
  ordered: readonly Row[];
  requestedPage: number;
  size: number;
}): TablePage<Row> {
  const { found, ordered, requestedPage, size } = options;
  const { page, pages, shown } = paginate(ordered, requestedPage, size);
  const foundRows = ordered === found ? null : new Set(found);
  const removed = new Set(foundRows && shown.filter((row) => !foundRows.has(row)));
  return { found, shown, removed, page, pages, firstNumber: (page - 1) * size + 1 };
}

/**
 * Whether a page of the first rows equals that page of all rows: same order, and not beyond the
 * first rows.
 */
function isKnownPage(
  page: TablePage<unknown>,
  state: { readonly sort: Sort | null; readonly page: number },
  defaultSort: Sort | null,
): boolean {
  const isInOrder = state.sort?.id === defaultSort?.id && state.sort?.descending === defaultSort?.descending;
  return isInOrder && page.page === state.page && page.shown.length > 0;
}
