/** What an app's schema holds, and how much of it. */
import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import type { HeliumDatabase } from './database.ts';

export interface AppObject {
  /** As PostgreSQL has it, lower-case for objects of the model. */
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized view';
}

/**
 * By name; without Helium's own `__…__` tables, and without the partitions of a table. Throws
 * Unreachable.
 */
export async function readAppObjects(database: HeliumDatabase, schemaName: string): Promise<AppObject[]> {
  return database.query<AppObject & Record<string, unknown>>(
    `select c.relname as name,
       case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end as kind
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p', 'f', 'v', 'm') and not c.relispartition
       and c.relname !~ '^__.*__$'
     order by c.relname`,
    [schemaName],
  );
}

/**
 * Its rows, counted one by one; null when that takes longer than `timeoutMs`, or PostgreSQL
 * refuses, as it does for a materialized view that was never filled. Throws Unreachable when the
 * data source is away.
 */
export async function countRows(
  database: HeliumDatabase,
  { schemaName, name }: { readonly schemaName: string; readonly name: string },
  timeoutMs: number,
): Promise<number | null> {
  const place = `${pg.escapeIdentifier(schemaName)}.${pg.escapeIdentifier(name)}`;
  try {
    const [counted] = await database.transaction(
      { readOnly: true, statementTimeoutMs: timeoutMs, lockTimeoutMs: timeoutMs },
      ({ query }) => query<{ rows: string }>(`select count(*)::text as rows from ${place}`),
    );
    return counted ? Number(counted.rows) : null;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return null;
    if (error instanceof Unreachable && error.status === 504) return null;
    throw error;
  }
}
