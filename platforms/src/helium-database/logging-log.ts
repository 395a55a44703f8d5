/**
 * Reads what an app has logged from its own `__logging_log__` table. The ids are those of the live
 * stream.
 */
import pg from 'pg';
import { nullText } from '../null-text.ts';
import { readAppRelation } from './app-relation.ts';
import { toUnreachable } from './connection-errors.ts';
import type { HeliumDatabase } from './database.ts';

export interface LogRow {
  /** The record's id in the live stream. */
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly millis: number;
}

export interface NewestRows {
  /** Only rows of a later millisecond. */
  readonly afterMillis: number;
  /** The maximum number of rows; older ones are omitted. */
  readonly maxRows: number;
}

/**
 * Returns the newest rows after an instant, oldest first. The `time` column has no zone; it is UTC.
 * Throws Unreachable, or Conflict when the log is not Helium's table.
 */
export async function readNewestLogRows(
  database: HeliumDatabase,
  schemaName: string,
  { afterMillis, maxRows }: NewestRows,
): Promise<LogRow[]> {
  const rows = await readAppRelation(database, { schemaName, name: '__logging_log__' }, {}, ({ query }) =>
    query<{ id: string; key: string | null; value: string | null; millis: number }>(
      `select _id_ as id, key, value, floor(extract(epoch from time) * 1000)::float8 as millis
       from (select * from ${pg.escapeIdentifier(schemaName)}.__logging_log__
             where time >= timestamp 'epoch' + $1::float8 * interval '1 millisecond'
             order by time desc, _id_ desc limit $2) as newest
       order by time, _id_`,
      [afterMillis + 1, maxRows],
    ),
  ).catch((error: unknown) => {
    throw error instanceof pg.DatabaseError ? toUnreachable(database.name, error) : error;
  });
  return rows.map(({ id, key, value, millis }) => ({ id, key: key ?? '', value: value ?? nullText, millis }));
}
