import type { ReactNode } from 'react';
import type { Tone } from '../tone.ts';
import type { CellValue, RowField, Sort } from './rows.ts';

export interface DataColumn<Row> {
  readonly id: string;
  readonly header: string;
  /** The header of an export, if different: with the unit that the cells name. */
  readonly csvHeader?: string;
  /** The value for sorting, search and export. */
  readonly value: (row: Row) => CellValue;
  /** Renders the cell, if different from the value. */
  readonly cell?: (row: Row) => ReactNode;
  readonly align?: 'left' | 'right';
  readonly width?: number | string;
  /** A long header takes several lines in a column of at least this many pixels. */
  readonly wrapsFrom?: number;
  /** Neither shown nor offered while the window is narrower than this many pixels. */
  readonly hideBelow?: number;
  /** Hidden until the user selects it while the window is narrower than this many pixels. */
  readonly optionalBelow?: number;
  /** defaults to true */
  readonly sortable?: boolean;
  /** Hidden until the user selects it. */
  readonly optional?: boolean;
  /** Names the rows, for screen readers; without one, the first column does. */
  readonly namesRow?: true;
}

/** An order that is not the one of a column, such as "Needs attention first". */
export interface NamedOrder<Row> extends RowField<Row> {
  readonly label: string;
}

export interface DataTableProps<Row> {
  /** The table's display name and storage key: "Apps". */
  readonly name: string;
  /** undefined until loaded */
  readonly rows: readonly Row[] | undefined;
  /**
   * The rows are only the first ones in the order of `defaultSort`; the rest are still loading
   * while `loading` is true. A different order or a later page is shown once they are loaded.
   */
  readonly isPartial?: boolean;
  /**
   * The rows are those of another choice, such as a former filter, until the chosen ones are
   * loaded. While the table is in use, only rows of the same choice keep their places.
   */
  readonly isPrevious?: boolean;
  readonly rowId: (row: Row) => string;
  /** Must be a stable array: large lists are sorted and indexed for search once per array. */
  readonly columns: readonly DataColumn<Row>[];
  readonly defaultSort?: Sort;
  /** Offered above the table, and remembered for the user. Must be a stable object. */
  readonly namedOrder?: NamedOrder<Row>;
  readonly lineNumbers?: boolean;
  readonly searchable?: boolean;
  readonly emptyText: string;
  /** What the user can do next, if anything. */
  readonly emptyHint?: ReactNode;
  readonly loading?: boolean;
  /** The error of the last load; loaded rows stay visible. */
  readonly error?: unknown;
  /** Replaces the title of the error. */
  readonly errorTitle?: string;
  readonly onRetry?: () => void;
  readonly onRowClick?: (row: Row) => void;
  /** Receives the rows of the page and the columns whenever it shows others. Must be stable. */
  readonly onShow?: (rows: readonly Row[], columns: readonly DataColumn<Row>[]) => void;
  readonly rowTone?: (row: Row) => Tone | null;
  readonly pageSize?: number;
  /**
   * Content of the last column, 'Actions': buttons and links. Where the columns need its width,
   * they are in a menu, each with its text or its `title`.
   */
  readonly actions?: (row: Row) => ReactNode;
  /** File name without extension; without it, there is no export. */
  readonly csvName?: string;
  /** Filters and buttons of the page, next to the search; may depend on the rows that it found. */
  readonly toolbar?: ReactNode | ((found: readonly Row[]) => ReactNode);
  /** Separates the state of two tables on one page in the address. */
  readonly addressPrefix?: string;
}
