/** What is written into Helium's columns, each in the column's own way of saying it. */
import type { Column } from '../mapping/helium-catalog.ts';

/** What Journey says: a flag, a moment, a text, or nothing. */
export type Fact = boolean | Date | string | null;

/** As JSON carries it into a column of its type. */
export type Cell = boolean | string | null;

/** By column. */
export type Cells = Readonly<Record<string, Cell>>;

export type ColumnType = Pick<Column, 'name' | 'type'>;

/** A row by its id, and what its columns shall hold. */
export interface CellRow {
  /** Lower-case UUID. */
  readonly id: string;
  readonly cells: Cells;
}

/** The cells of the facts that have a column; facts that are left out leave their column alone. */
export function cellsOf<Name extends string>(
  columns: ReadonlyMap<Name, ColumnType>,
  facts: { readonly [N in Name]?: Fact },
): Cells {
  const cells: Record<string, Cell> = {};
  for (const [name, column] of columns) {
    const fact = facts[name];
    if (fact !== undefined) cells[column.name] = cellOf(fact, column.type);
  }
  return cells;
}

/** Flags as Yes and No where the column is a text, moments as ISO 8601 in UTC, to whole seconds. */
export function cellOf(fact: Fact, type: string): Cell {
  if (typeof fact === 'boolean') return isText(type) ? (fact ? 'Yes' : 'No') : fact;
  if (fact instanceof Date) return momentIn(type, fact);
  // PostgreSQL has no place for it in a text, and a device's label is whatever the device says.
  return fact === null ? null : fact.replaceAll('\0', '');
}

function momentIn(type: string, moment: Date): string {
  const text = `${moment.toISOString().slice(0, 19)}Z`;
  if (type === 'date') return text.slice(0, 10);
  return type.startsWith('timestamp') && !type.endsWith('with time zone') ? text.slice(0, -1) : text;
}

/** Null for what is no instant, too. */
export function momentOf(text: string | null): Date | null {
  const moment = new Date(text ?? Number.NaN);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

export function isText(type: string): boolean {
  return type === 'text' || type.startsWith('character');
}
