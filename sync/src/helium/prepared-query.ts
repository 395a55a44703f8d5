import { createHash } from 'node:crypto';
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { QueryConfig } from 'pg';
import type { Db } from './helium-gateway.ts';

/**
 * PostgreSQL keeps prepared statements for the life of a connection, and a thousand apps share a
 * few connections.
 */
const maxPerConnection = 400;

const preparedByConnection = new WeakMap<Db, Set<string>>();

/**
 * Returns a query that its connection parses once, or a plain query when the connection has reached
 * its limit of prepared statements.
 */
export function preparedQuery(db: Db, text: string, values: unknown[]): QueryConfig {
  const prepared = preparedByConnection.get(db) ?? new Set();
  preparedByConnection.set(db, prepared);
  const name = `helium_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  if (!prepared.has(name) && prepared.size >= maxPerConnection) return { text, values };
  prepared.add(name);
  return namedQuery(name, text, values);
}
