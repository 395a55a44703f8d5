import { createHash } from 'node:crypto';
import type { QueryConfig } from 'pg';
import type { Db } from './helium-gateway.ts';

/**
 * PostgreSQL keeps what it prepared for as long as the connection lives: a thousand apps share a
 * few connections.
 */
const maxPerConnection = 400;

const preparedByConnection = new WeakMap<Db, Set<string>>();

/**
 * A query that its connection parses once; on a connection that has enough of them, one like any
 * other.
 */
export function preparedQuery(db: Db, text: string, values: unknown[]): QueryConfig {
  const prepared = preparedByConnection.get(db) ?? new Set();
  preparedByConnection.set(db, prepared);
  const name = `helium_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  if (!prepared.has(name) && prepared.size >= maxPerConnection) return { text, values };
  prepared.add(name);
  return { name, text, values };
}
