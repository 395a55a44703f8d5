import { namedQuery } from '@portal/kit/postgres/named-query';
import { isOutage, type Pool } from '@portal/kit/postgres/pool';
import pg from 'pg';
import { changeLog, changeSequence, qualified } from './sql-names.ts';

/**
 * Returns the server's write-ahead log position. While it does not move, nothing can have changed.
 * null when it is not available: the role lacks permission, or the server is a standby.
 */
export async function readWalPosition(pool: Pool): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ position: string }>('select pg_current_wal_insert_lsn()::text as position');
    return rows[0]?.position ?? null;
  } catch (error) {
    if (error instanceof pg.DatabaseError && !isOutage(error)) return null;
    throw error;
  }
}

/**
 * Finds the change-log sequences of these schemas: object ids by schema. Schemas without a change
 * log are missing.
 */
export async function findSequences(pool: Pool, schemas: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ schema: string; oid: string }>(
    `select n.nspname as schema, s.oid::text as oid
      from pg_namespace n
      join pg_class s on s.relnamespace = n.oid and s.relname = $2 and s.relkind = 'S'
      join pg_class l on l.relnamespace = n.oid and l.relname = $3 and l.relkind in ('r', 'p')
      where n.nspname = any ($1::name[])`,
    [schemas, changeSequence, changeLog],
  );
  return new Map(rows.map(({ schema, oid }) => [schema, oid]));
}

/**
 * Reads the last number drawn from each sequence: 0 where none was, nothing where it is not
 * visible. Each costs one page read, and the result is one text for `parseDrawn`: this runs fifty
 * times a second for a thousand apps. Fails when a sequence no longer exists.
 */
export async function readDrawn(pool: Pool, sequences: readonly string[]): Promise<string> {
  const { rows } = await pool.query<{ drawn: string }>(
    namedQuery(
      'helium_drawn',
      `select coalesce(string_agg(coalesce(pg_sequence_last_value(oid)::text,
        case when has_sequence_privilege(oid, 'usage, select') then '0' else '' end), ',' order by position), '') as drawn
      from unnest($1::oid[]) with ordinality as sequence (oid, position)`,
      [`{${sequences.join()}}`],
    ),
  );
  return rows[0]?.drawn ?? '';
}

/** Returns the number of each sequence; null where it is not visible. */
export function parseDrawn(drawn: string): (bigint | null)[] {
  return drawn.split(',').map((number) => (number === '' ? null : BigInt(number)));
}

/** A statement locks each table it reads, and the number of locks per server is limited. */
const logsPerStatement = 200;

/** Returns the highest visible number of each log, 0 for an empty one. */
export async function readHeads(pool: Pool, schemas: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const heads = new Map<string, bigint>();
  for (let from = 0; from < schemas.length; from += logsPerStatement) {
    const some = schemas.slice(from, from + logsPerStatement);
    const each = some.map(
      (schema, index) =>
        `select ${index} as index, (select max(seq)::text from ${qualified(schema, changeLog)}) as head`,
    );
    const { rows } = await pool.query<{ index: number; head: string | null }>(each.join(' union all '));
    for (const { index, head } of rows) heads.set(some[index] ?? '', BigInt(head ?? 0));
  }
  return heads;
}
