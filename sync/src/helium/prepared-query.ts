import { createHash } from 'node:crypto';
import type { QueryConfig } from 'pg';
import type { Db } from './helium-end.ts';

/**
 * PostgreSQL keeps what it prepared for as long as the connection lives: a thousand apps share a
 * few connections.
 */
const mostPerConnection = 400;

const preparedOf = new WeakMap<Db, Set<string>>();

/**
 * A query that its connection parses once; on a connection that has enough of them, one like any
 * other.
 */
export function preparedQuery(db: Db, text: string, values: unknown[]): QueryConfig {
  const prepared = preparedOf.get(db) ?? new Set();
  preparedOf.set(db, prepared);
  const name = `helium_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  if (!prepared.has(name) && prepared.size >= mostPerConnection) return { text, values };
  prepared.add(name);
  return { name, text, values };
}
