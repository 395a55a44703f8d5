import { isOutage, type Pool } from '@portal/kit/postgres/pool';
import pg from 'pg';
import { changeLog, changeSequence, qualified } from './sql-names.ts';

/**
 * How far the server has written, whatever it was; while it stands still, nothing can have changed.
 * null where that cannot be known: our role may not ask, or the server is a standby.
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

/** The sequences of those of these schemas that have a change log: their object ids, by schema. */
export async function findSequences(pool: Pool, schemas: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ schema: string; oid: string }>(
    `select schema, to_regclass(sequence)::oid::text as oid
      from unnest($1::text[], $2::text[], $3::text[]) as app (schema, sequence, log)
      where to_regclass(log) is not null and to_regclass(sequence) is not null`,
    [
      schemas,
      schemas.map((schema) => qualified(schema, changeSequence)),
      schemas.map((schema) => qualified(schema, changeLog)),
    ],
  );
  return new Map(rows.map(({ schema, oid }) => [schema, oid]));
}

/**
 * The number drawn last from each of these sequences, null where none was or we may not see it.
 * Each costs one page read, and all of them one text: this is asked fifty times a second, of a
 * thousand apps. Fails when one is not there any more.
 */
export async function readDrawn(pool: Pool, sequences: readonly string[]): Promise<(bigint | null)[]> {
  const { rows } = await pool.query<{ drawn: string }>({
    name: 'helium_drawn',
    text: `select coalesce(string_agg(coalesce(pg_sequence_last_value(oid)::text, ''), ',' order by position), '') as drawn
      from unnest($1::oid[]) with ordinality as sequence (oid, position)`,
    values: [`{${sequences.join()}}`],
  });
  return (rows[0]?.drawn ?? '').split(',').map((number) => (number === '' ? null : BigInt(number)));
}

/** A statement locks each table it looks into, and a server has only so many locks. */
const logsPerStatement = 200;

/** Highest number visible in each of these logs, 0 in an empty one. */
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
