import type { ReactNode } from 'react';
import type { CellValue, Sort } from './table-rows.ts';
import type { Tone } from './tone.ts';

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
   * The rows are only the first of all in the order of `defaultSort`; the others are on their way
   * while `loading`. What cannot be known from the first (another order, a later page) is then
   * waited for.
   */
  readonly isBeginning?: boolean;
  readonly rowId: (row: Row) => string;
  /**
   * The same array from one drawing to the next: large lists are sorted and made searchable once
   * per array.
   */
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
