import type { CsvValue } from './csv.ts';

export type CellValue = CsvValue;

/** A field by which rows are searched and sorted. */
export interface RowField<Row> {
  readonly id: string;
  readonly value: (row: Row) => CellValue;
}

export interface Sort {
  readonly id: string;
  readonly descending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Compares two values in ascending order. */
function compare(a: CellValue, b: CellValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}

/** Returns a sorted copy. Equal rows keep their order; null sorts last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly RowField<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const column = sort && columns.find((candidate) => candidate.id === sort.id);
  if (!column) return rows;
  const keyed = rows.map((row) => ({ row, key: column.value(row) }));
  const direction = sort.descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    return direction * compare(a.key, b.key);
  });
  return keyed.map(({ row }) => row);
}

/**
 * Returns the search text of each row. Computed once per list, so that a keystroke only scans
 * strings.
 */
export function searchTexts<Row>(rows: readonly Row[], columns: readonly RowField<Row>[]): Map<Row, string> {
  return new Map(
    rows.map((row) => [
      row,
      columns
        .map((column) => column.value(row) ?? '')
        .join('\n')
        .toLowerCase(),
    ]),
  );
}

/** Returns the rows that contain every word of the search, in any column. */
export function filterRows<Row>(rows: readonly Row[], texts: Map<Row, string>, search: string): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = texts.get(row) ?? '';
    return words.every((word) => text.includes(word));
  });
}

/** Returns one page of rows. Pages count from 1; a page beyond the end is the last one. */
export function paginate<Row>(
  rows: readonly Row[],
  page: number,
  size: number,
): { page: number; pages: number; shown: readonly Row[] } {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const actual = Math.min(Math.max(1, page), pages);
  return { page: actual, pages, shown: rows.slice((actual - 1) * size, actual * size) };
}
