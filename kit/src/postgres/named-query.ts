import type pg from 'pg';

/**
 * Returns a query that a session of the server parses once. Only queries made here have names; a
 * pool sends them without where it is behind a pooler.
 */
export function namedQuery(name: string, text: string, values: unknown[]): pg.QueryConfig {
  return { name, text, values };
}
