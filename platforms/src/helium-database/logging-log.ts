/** What an app has logged, from its own `__logging_log__`: the past of the live stream, with the same ids. */
import pg from 'pg';
import type { HeliumDatabase } from './database.ts';

export interface LogRow {
  /** The id of the record in the live stream. */
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly millis: number;
  /** The whole time, microseconds since 1970: with the id the position of this row among all. */
  readonly micros: number;
}

export interface LogRange {
  /** From the beginning of this millisecond… */
  readonly fromMillis: number;
  /** …to the end of this one; without it to the newest row. */
  readonly untilMillis?: number;
  /** Only rows behind this one: the last of the page before. */
  readonly after?: Pick<LogRow, 'micros' | 'id'>;
  readonly limit: number;
}

/** In the order they were logged in, oldest first. Fewer than `limit` means there are no more. */
export async function readLogRows(database: HeliumDatabase, schemaName: string, range: LogRange): Promise<LogRow[]> {
  const { fromMillis, untilMillis, after, limit } = range;
  const rows = await database.query<{ id: string; key: string | null; value: string | null; micros: string }>(
    `select _id_ as id, key, value, (extract(epoch from time) * 1000000)::bigint as micros
     from ${pg.escapeIdentifier(schemaName)}.__logging_log__
     where time >= ${instant('$1')} and time < ${instant('$2')} and (time, _id_) > (${instant('$3')}, $4::uuid)
     order by time, _id_ limit $5`,
    [
      fromMillis * 1000,
      untilMillis === undefined ? 'Infinity' : (untilMillis + 1) * 1000,
      after?.micros ?? '-Infinity',
      after?.id ?? '00000000-0000-0000-0000-000000000000',
      limit,
    ],
  );
  return rows.map(({ id, key, value, micros }) => ({
    id,
    key: key ?? '',
    value: value ?? '',
    millis: Math.floor(Number(micros) / 1000),
    micros: Number(micros),
  }));
}

/** `time` has no zone: it is UTC. */
function instant(micros: string): string {
  return `(timestamp 'epoch' + ${micros}::float8 * interval '1 microsecond')`;
}
