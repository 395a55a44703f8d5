/** Reads flags that users and apps set in Helium: a bool, or a text such as yes, false or t. */
import pg from 'pg';
import { type ColumnType, isText } from './cells.ts';

const opposites: Readonly<Record<string, string>> = { yes: 'no', true: 'false', t: 'f' };

/** Returns an SQL condition: true, false, or null for anything else. */
export function flagSql({ name, type }: ColumnType, alias = 't'): string {
  const column = `${alias}.${pg.escapeIdentifier(name)}`;
  if (!isText(type)) return column;
  return `case when lower(btrim(${column})) in ('yes', 'true', 't') then true
    when lower(btrim(${column})) in ('no', 'false', 'f') then false end`;
}

/**
 * Returns the unset value in the form in which the flag was set: 'Yes' becomes 'No', 'true' becomes
 * 'false'.
 */
export function unsetFlag(written: string): string {
  const word = written.trim();
  const opposite = opposites[word.toLowerCase()] ?? 'false';
  if (word === word.toLowerCase()) return opposite;
  if (word === word.toUpperCase()) return opposite.toUpperCase();
  return opposite.charAt(0).toUpperCase() + opposite.slice(1);
}
