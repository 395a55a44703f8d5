/** Converts facts to the values of Helium's columns, each in the form that its column has. */
import type { Column } from '../mapping/helium-catalog.ts';

/** What Journey reports: a flag, an instant, a text, or nothing. */
export type Fact = boolean | Date | string | null;

/** As JSON carries it into a column of its type. */
type Cell = boolean | string | null;

/** By column. */
export type Cells = Readonly<Record<string, Cell>>;

export type ColumnType = Pick<Column, 'name' | 'type'>;

/** A row by its id, and the values its columns get. */
export interface CellRow {
  /** Lower-case UUID. */
  readonly id: string;
  readonly cells: Cells;
}

/** Returns the cells of facts that have a column; an absent fact leaves its column unchanged. */
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

/** Writes flags as Yes and No into text columns, instants as ISO 8601 in UTC, whole seconds. */
export function cellOf(fact: Fact, type: string): Cell {
  if (typeof fact === 'boolean') return isText(type) ? (fact ? 'Yes' : 'No') : fact;
  if (fact instanceof Date) return momentIn(type, fact);
  // PostgreSQL cannot store NUL in a text, and a device's label is whatever the device sends.
  return fact === null ? null : fact.replaceAll('\0', '');
}

function momentIn(type: string, moment: Date): string {
  const text = `${moment.toISOString().slice(0, 19)}Z`;
  if (type === 'date') return text.slice(0, 10);
  return type.startsWith('timestamp') && !type.endsWith('with time zone') ? text.slice(0, -1) : text;
}

/** Returns null also for a text that is no instant. */
export function momentOf(text: string | null): Date | null {
  const moment = new Date(text ?? Number.NaN);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

export function isText(type: string): boolean {
  return type === 'text' || type.startsWith('character');
}
