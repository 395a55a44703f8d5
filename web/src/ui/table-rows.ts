import type { CsvValue } from './csv.ts';

export type CellValue = CsvValue;

/** What the rows of a table are found and ordered by. */
export interface Reading<Row> {
  readonly id: string;
  readonly value: (row: Row) => CellValue;
}

export interface Sort {
  readonly id: string;
  readonly descending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Ascending; nothing sorts last, in both directions. */
function compare(a: CellValue, b: CellValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}

/** A sorted copy. Rows that are equal keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Reading<Row>[],
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
 * For each row the text it is searched in; made once per list, so that a keystroke costs one pass
 * over strings.
 */
export function searchTexts<Row>(rows: readonly Row[], columns: readonly Reading<Row>[]): Map<Row, string> {
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

/** Rows that hold every word of the search, in any column. */
export function filterRows<Row>(rows: readonly Row[], texts: Map<Row, string>, search: string): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = texts.get(row) ?? '';
    return words.every((word) => text.includes(word));
  });
}

/** Pages count from 1; a page beyond the end is the last one. */
export function pageOf<Row>(
  rows: readonly Row[],
  page: number,
  size: number,
): { page: number; pages: number; shown: readonly Row[] } {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const actual = Math.min(Math.max(1, page), pages);
  return { page: actual, pages, shown: rows.slice((actual - 1) * size, actual * size) };
}
