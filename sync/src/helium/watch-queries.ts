import { isOutage, type Pool } from '@portal/kit/postgres/pool';
import pg from 'pg';
import { CHANGE_LOG, CHANGE_SEQUENCE, qualified } from './names.ts';

/**
 * How far the server has written, whatever it was; while it stands still, nothing can have changed. null where that
 * cannot be known: our role may not ask, or the server is a standby.
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
 * The number drawn last in each of these schemas, null where none was or we may not see it. Schemas without a change
 * log are left out. Each costs one page read, not a look into a table.
 */
export async function readDrawn(pool: Pool, schemas: readonly string[]): Promise<ReadonlyMap<string, bigint | null>> {
  const { rows } = await pool.query<{ schema: string; drawn: string | null }>({
    name: 'helium_drawn',
    text: `select schema, pg_sequence_last_value(to_regclass(sequence))::text as drawn
      from unnest($1::text[], $2::text[], $3::text[]) as app (schema, sequence, log)
      where to_regclass(log) is not null`,
    values: [
      schemas,
      schemas.map((schema) => qualified(schema, CHANGE_SEQUENCE)),
      schemas.map((schema) => qualified(schema, CHANGE_LOG)),
    ],
  });
  return new Map(rows.map(({ schema, drawn }) => [schema, drawn === null ? null : BigInt(drawn)]));
}

/** Highest number visible in each of these logs, '0' in an empty one; in one statement. */
export async function readHeads(pool: Pool, schemas: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (schemas.length === 0) return new Map();
  const each = schemas.map(
    (schema, no) => `select ${no} as no, (select max(seq)::text from ${qualified(schema, CHANGE_LOG)}) as head`,
  );
  const { rows } = await pool.query<{ no: number; head: string | null }>(each.join(' union all '));
  return new Map(rows.map(({ no, head }) => [schemas[no] ?? '', BigInt(head ?? 0)]));
}
