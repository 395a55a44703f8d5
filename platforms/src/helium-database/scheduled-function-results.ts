/**
 * Reads the results of an app's scheduled functions from its own `__scheduled_function_result__`
 * table. Times in the table are UTC.
 */
import pg from 'pg';
import type { HeliumDatabase } from './database.ts';

export interface ScheduledFunctionResult {
  readonly id: string;
  /** `Unit:function` */
  readonly qualifiedName: string;
  readonly schedule: string | null;
  readonly started: Date;
  /** Null while the function runs. */
  readonly finished: Date | null;
  readonly success: boolean | null;
  readonly error: string | null;
  readonly stackTrace: string | null;
}

interface Row {
  id: string;
  qualifiedname: string;
  schedule: string | null;
  started: number;
  finished: number | null;
  success: boolean | null;
  error: string | null;
  stacktrace: string | null;
  [column: string]: unknown;
}

const columns = `_id_ as id, qualifiedname, schedule, success, error, stacktrace,
  (extract(epoch from datetimestampstarted) * 1000)::float8 as started,
  (extract(epoch from datetimestampfinished) * 1000)::float8 as finished`;

/**
 * Returns the newest results first, followed by the latest result of every function that is not
 * among them.
 */
export async function readScheduledFunctionResults(
  database: HeliumDatabase,
  schemaName: string,
  { limit }: { readonly limit: number },
): Promise<ScheduledFunctionResult[]> {
  const table = getResultsTable(schemaName);
  const rows = await database.query<Row>(
    `select * from (
       (select ${columns} from ${table} where datetimestampstarted is not null order by datetimestampstarted desc limit $1)
       union
       ${latestPerFunction(table)}
     ) as result order by started desc, id`,
    [limit],
  );
  return rows.map(toResult);
}

/** Returns the latest result of each function by `Unit:function`. */
export async function readLastResults(
  database: HeliumDatabase,
  schemaName: string,
): Promise<Map<string, ScheduledFunctionResult>> {
  const rows = await database.query<Row>(latestPerFunction(getResultsTable(schemaName)));
  return new Map(rows.map((row) => [row.qualifiedname, toResult(row)]));
}

function latestPerFunction(table: string): string {
  return `(select distinct on (qualifiedname) ${columns} from ${table}
    where datetimestampstarted is not null order by qualifiedname, datetimestampstarted desc)`;
}

function getResultsTable(schemaName: string): string {
  return `${pg.escapeIdentifier(schemaName)}.__scheduled_function_result__`;
}

function toResult(row: Row): ScheduledFunctionResult {
  return {
    id: row.id,
    qualifiedName: row.qualifiedname,
    schedule: row.schedule,
    started: new Date(row.started),
    finished: row.finished === null ? null : new Date(row.finished),
    success: row.success,
    error: row.error,
    stackTrace: row.stacktrace,
  };
}
