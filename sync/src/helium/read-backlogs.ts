import type { Pool } from '@portal/kit/postgres/pool';
import { isContention } from './database-failures.ts';
import { findLockedLogs } from './locked-logs.ts';
import { changeLog, qualified, transactionLog } from './sql-names.ts';
import { findSequences, parseDrawn, readDrawn } from './watch-queries.ts';

/** A statement locks each table it reads, and the number of locks per server is limited. */
const schemasPerStatement = 100;
/** More entries than this are not counted. */
export const maxBacklogEntries = 100_000;

export interface ChangeLogPosition {
  readonly schema: string;
  /** The last processed version, as decimal digits. */
  readonly version: string;
}

export interface ChangeLogBacklog {
  readonly entries: number;
  /** When the oldest one was written; null if none waits, or its transaction is not logged. */
  readonly sinceMs: number | null;
}

export interface BacklogDatabase {
  /** Reads the sequences. */
  readonly reading: Pool;
  /** Connects with the rights of the app that owns the schema. */
  asApp(schema: string): Pool;
}

/**
 * Counts the entries after each position, in one statement per login for up to a hundred schemas.
 * Where no number was drawn since, it does not read the log. Returns one backlog per position; null
 * for a schema without a change log, or whose log cannot be read now.
 */
export async function readBacklogs(
  { reading, asApp }: BacklogDatabase,
  positions: readonly ChangeLogPosition[],
): Promise<(ChangeLogBacklog | null)[]> {
  const drawnBySchema = await readDrawnBySchema(
    reading,
    positions.map(({ schema }) => schema),
  );
  const backlogs: (ChangeLogBacklog | null)[] = positions.map(() => null);
  const groups = new Map<Pool, IndexedPosition[]>();
  for (const [index, position] of positions.entries()) {
    const drawn = drawnBySchema.get(position.schema);
    if (drawn === undefined) continue;
    if (drawn !== null && drawn <= BigInt(position.version)) backlogs[index] = { entries: 0, sinceMs: null };
    else {
      const pool = asApp(position.schema);
      groups.set(pool, [...(groups.get(pool) ?? []), { ...position, index }]);
    }
  }
  for (const [pool, present] of groups)
    for (let from = 0; from < present.length; from += schemasPerStatement) {
      const some = present.slice(from, from + schemasPerStatement);
      const rows = await readSome(pool, some).catch((error: unknown) => {
        if (isContention(error)) return readUnlocked(reading, pool, some);
        // The login of one app may not be usable.
        if (groups.size > 1) return [];
        throw error;
      });
      for (const { index, ...backlog } of rows) backlogs[index] = backlog;
    }
  return backlogs;
}

type IndexedPosition = ChangeLogPosition & { readonly index: number };

/** Returns the last number drawn in each schema; null where it is not visible. */
async function readDrawnBySchema(
  reading: Pool,
  schemas: readonly string[],
): Promise<ReadonlyMap<string, bigint | null>> {
  const sequences = [...(await findSequences(reading, schemas))];
  if (sequences.length === 0) return new Map();
  const drawn = parseDrawn(
    await readDrawn(
      reading,
      sequences.map(([, oid]) => oid),
    ),
  );
  return new Map(sequences.map(([schema], index) => [schema, drawn[index] ?? null]));
}

async function readUnlocked(reading: Pool, pool: Pool, positions: readonly IndexedPosition[]) {
  const locked = await findLockedLogs(
    reading,
    positions.map(({ schema }) => schema),
  );
  return readSome(
    pool,
    positions.filter(({ schema }) => !locked.has(schema)),
  );
}

async function readSome(
  pool: Pool,
  positions: readonly IndexedPosition[],
): Promise<readonly (ChangeLogBacklog & { readonly index: number })[]> {
  if (positions.length === 0) return [];
  const each = positions.map(({ schema, index }, at) => {
    const log = qualified(schema, changeLog);
    return `select ${index} as index,
      (select count(*)::int from (select from ${log} where seq > $${at + 1}::bigint limit ${maxBacklogEntries}) c) as entries,
      (select (extract(epoch from t.tx_tstamp) * 1000)::float8
       from (select tx_id from ${log} where seq > $${at + 1}::bigint order by seq limit 1) c
       join ${qualified(schema, transactionLog)} t on t.tx_id = c.tx_id limit 1) as "sinceMs"`;
  });
  const { rows } = await pool.query<ChangeLogBacklog & { index: number }>(
    each.join(' union all '),
    positions.map(({ version }) => version),
  );
  return rows;
}
