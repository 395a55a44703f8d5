/**
 * What an app has logged, from its own `__logging_log__`: the past of the live stream, with the
 * same ids.
 */
import pg from 'pg';
import type { HeliumDatabase } from './database.ts';

export interface LogRow {
  /** The id of the record in the live stream. */
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly millis: number;
}

export interface NewestRows {
  /** Only rows of a later millisecond than this. */
  readonly afterMillis: number;
  /** The newest so many; older ones are left out. */
  readonly most: number;
}

/**
 * The newest rows behind an instant, oldest first. `time` has no zone: it is UTC. Throws
 * Unreachable.
 */
export async function readNewestLogRows(
  database: HeliumDatabase,
  schemaName: string,
  { afterMillis, most }: NewestRows,
): Promise<LogRow[]> {
  const rows = await database.query<{ id: string; key: string | null; value: string | null; millis: number }>(
    `select _id_ as id, key, value, floor(extract(epoch from time) * 1000)::float8 as millis
     from (select * from ${pg.escapeIdentifier(schemaName)}.__logging_log__
           where time >= timestamp 'epoch' + $1::float8 * interval '1 millisecond'
           order by time desc, _id_ desc limit $2) as newest
     order by time, _id_`,
    [afterMillis + 1, most],
  );
  return rows.map(({ id, key, value, millis }) => ({ id, key: key ?? '', value: value ?? '', millis }));
}
