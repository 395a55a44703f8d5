/** Lists the objects of an app's schema and counts their rows. */
import { Conflict, Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { readAppRelation } from './app-relation.ts';
import type { HeliumDatabase } from './database.ts';
import { isAppObjectSql, relationIdsSql } from './helium-objects.ts';

export interface AppObject {
  /** PostgreSQL's name of the object. Objects of the model have lower-case names. */
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized view';
}

/**
 * Returns the objects sorted by name, without Helium's own tables and without partitions.
 * Throws Unreachable.
 */
export async function readAppObjects(database: HeliumDatabase, schemaName: string): Promise<AppObject[]> {
  return database.query<AppObject & Record<string, unknown>>(
    `select c.relname as name,
       case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end as kind
     from pg_class c where c.oid in (${relationIdsSql('$1')}) and c.relkind in ('r', 'p', 'f', 'v', 'm') and not c.relispartition
       and ${isAppObjectSql('c.relname')}
     order by c.relname`,
    [schemaName],
  );
}

/** A view is not among them: it may call functions that change data or settings of the session. */
export interface CountedObject extends AppObject {
  readonly kind: Exclude<AppObject['kind'], 'view'>;
}

/**
 * Counts the rows exactly. Returns null when that takes longer than `timeoutMs`, or when PostgreSQL
 * refuses, as it does for a materialized view that was never refreshed, and for a foreign table or
 * one that hides rows. Throws Unreachable when the data source is unavailable.
 */
export async function countRows(
  database: HeliumDatabase,
  { schemaName, name }: CountedObject & { readonly schemaName: string },
  timeoutMs: number,
): Promise<number | null> {
  const table = `${pg.escapeIdentifier(schemaName)}.${pg.escapeIdentifier(name)}`;
  try {
    const [counted] = await readAppRelation(
      database,
      { schemaName, name, kinds: ['table', 'partitioned table', 'materialized view'] },
      { statementTimeoutMs: timeoutMs, lockTimeoutMs: timeoutMs },
      ({ query }) => query<{ rows: string }>(`select count(*)::text as rows from ${table}`),
    );
    return counted ? Number(counted.rows) : null;
  } catch (error) {
    if (error instanceof pg.DatabaseError || error instanceof Conflict) return null;
    if (error instanceof Unreachable && error.status === 504) return null;
    throw error;
  }
}
