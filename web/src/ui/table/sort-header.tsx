import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import styles from './data-table.module.css';
import type { DataColumn } from './data-table.types.ts';
import type { Sort } from './rows.ts';

/** A column header; a button if the column is sortable by it. */
export function SortHeader<Row>(props: {
  column: DataColumn<Row>;
  sort: Sort | null;
  /** null where rows are cards: only screen readers have the headers there, and a list sorts. */
  onSort: ((sort: Sort) => void) | null;
}) {
  const { column, sort, onSort } = props;
  const isSorted = sort?.id === column.id;
  const Icon = !isSorted ? IconArrowsSort : sort.descending ? IconArrowDown : IconArrowUp;
  return (
    <th
      scope="col"
      data-align={column.align}
      data-wraps={column.wrapsFrom !== undefined || undefined}
      style={{ width: column.width, minWidth: column.wrapsFrom }}
      aria-sort={isSorted ? (sort.descending ? 'descending' : 'ascending') : undefined}
    >
      {column.sortable === false || onSort === null ? (
        column.header
      ) : (
        <button
          type="button"
          className={styles.sort}
          data-sorted={isSorted}
          onClick={() => onSort({ id: column.id, descending: isSorted && !sort.descending })}
        >
          {column.header}
          <Icon size={13} stroke={1.8} aria-hidden />
        </button>
      )}
    </th>
  );
}
