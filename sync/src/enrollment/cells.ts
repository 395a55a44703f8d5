/** Converts facts to the values of Helium's columns, in the format of each column. */
import type { Column } from '../mapping/helium-catalog.ts';

/** A value that Journey reports: a flag, an instant, a text, or nothing. */
export type Fact = boolean | Date | string | null;

/** A value as JSON, for a column of its type. */
type Cell = boolean | string | null;

/** Cells by column. */
export type Cells = Readonly<Record<string, Cell>>;

export type ColumnType = Pick<Column, 'name' | 'type'>;

/** A row's id, and the new values of its columns. */
export interface CellRow {
  /** Lower-case UUID. */
  readonly id: string;
  readonly cells: Cells;
}

/** Returns the cells of facts that have a column. A missing fact leaves its column unchanged. */
export function toCells<Name extends string>(
  columns: ReadonlyMap<Name, ColumnType>,
  facts: { readonly [N in Name]?: Fact },
): Cells {
  const cells: Record<string, Cell> = {};
  for (const [name, column] of columns) {
    const fact = facts[name];
    if (fact !== undefined) cells[column.name] = toCell(fact, column.type);
  }
  return cells;
}

/**
 * Writes flags as Yes and No into text columns, and instants as ISO 8601 in UTC with whole seconds.
 */
export function toCell(fact: Fact, type: string): Cell {
  if (typeof fact === 'boolean') return isText(type) ? (fact ? 'Yes' : 'No') : fact;
  if (fact instanceof Date) return formatInstant(type, fact);
  return fact === null ? null : cleanText(fact);
}

const halfCharacter = /\p{Surrogate}/gu;

/** PostgreSQL cannot store NUL or half a character, and a device may send any label. */
function cleanText(text: string): string {
  return text.replaceAll('\0', '').replaceAll(halfCharacter, '\ufffd');
}

/** Cuts a text that only describes something to the length of its column. */
export function cutText(text: string | null, column: ColumnType | undefined): string | null {
  const maxLength = /^character(?: varying)?\((\d+)\)$/.exec(column?.type ?? '')?.[1];
  return text === null || maxLength === undefined ? text : [...cleanText(text)].slice(0, Number(maxLength)).join('');
}

function formatInstant(type: string, instant: Date): string {
  const text = `${instant.toISOString().slice(0, 19)}Z`;
  if (type === 'date') return text.slice(0, 10);
  return type.startsWith('timestamp') && !type.endsWith('with time zone') ? text.slice(0, -1) : text;
}

/** Also returns null for a text that is not an instant. */
export function parseInstant(text: string | null): Date | null {
  const instant = new Date(text ?? Number.NaN);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

export function isText(type: string): boolean {
  return type === 'text' || type.startsWith('character');
}
