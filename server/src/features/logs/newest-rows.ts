import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import pg from 'pg';
import type { LogRecord } from './log-chunk.ts';
import type { RowsWanted } from './log-source.ts';

/** What an app has logged, from its own table: oldest first. Throws Unreachable. */
export async function readNewestRows(
  database: HeliumDatabase,
  schemaName: string,
  { afterMillis, most }: RowsWanted,
): Promise<LogRecord[]> {
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
