/** Reads the ordered log of changes to a deployment's objects. */
import type { Deployment } from './deployment.ts';
import type { Contents } from './json.ts';
import type { LogEntry } from './write-plan.ts';

interface Row {
  readonly sequence: string;
  readonly operation: LogEntry['operation'];
  readonly type: string;
  readonly id: string;
  readonly contents: Contents;
  readonly updated_at: string;
  readonly created: string;
}

export interface Range {
  /** Sequences, decimal: from `start` on, and before `end`. */
  readonly start: string;
  readonly end?: string | undefined;
  readonly limit: number;
}

/** Omits entries of deleted models, because they cannot be read in the current one. */
const read = `select sequence, operation, type, id, contents, updated_at, created from op_log
  where deployment = $1 and type = any($2)`;

/** Also returns whether the range has more entries. */
export async function readRange(
  deployment: Deployment,
  { start, end, limit }: Range,
): Promise<{ entries: readonly LogEntry[]; hasMore: boolean }> {
  const { rows } = await deployment.pool.query<Row>(
    `${read} and sequence >= $3 and ($4::bigint is null or sequence < $4) order by sequence limit $5`,
    [deployment.key, readModels(deployment), start, end ?? null, limit + 1],
  );
  return { entries: rows.slice(0, limit).map(toEntry), hasMore: rows.length > limit };
}

/** Returns the last entries in their order. */
export async function readTail(deployment: Deployment, limit: number): Promise<readonly LogEntry[]> {
  const { rows } = await deployment.pool.query<Row>(`${read} order by sequence desc limit $3`, [
    deployment.key,
    readModels(deployment),
    limit,
  ]);
  return rows.reverse().map(toEntry);
}

/** Drops all but the last entries and returns how many were dropped. */
export async function dropOldest({ pool, key }: Deployment, keep: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from op_log where deployment = $1 and sequence <=
       (select sequence from op_log where deployment = $1 order by sequence desc offset $2 limit 1)`,
    [key, keep],
  );
  return rowCount ?? 0;
}

/** Counts the effective writes in the log by origin. */
export async function countWrites({
  pool,
  key,
}: Deployment): Promise<{ readonly api: number; readonly device: number }> {
  const { rows } = await pool.query<{ api: string; device: string }>(
    `select count(*) filter (where origin = 'api') as api, count(*) filter (where origin = 'device') as device
     from op_log where deployment = $1`,
    [key],
  );
  return { api: Number(rows[0]?.api), device: Number(rows[0]?.device) };
}

function readModels(deployment: Deployment): string[] {
  return [...deployment.dataModel().models.keys()];
}

function toEntry({ sequence, operation, type, id, contents, updated_at, created }: Row): LogEntry {
  return { sequence, operation, object: { type, id, contents, updatedAt: Number(updated_at), created } };
}
