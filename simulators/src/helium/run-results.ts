/**
 * The results of function runs in `__scheduled_function_result__`; times are UTC without a zone.
 */
import type { Pool } from '@portal/kit/postgres/pool';

export const maxStoredResults = 2_000;

export interface RunResult {
  readonly id: string;
  /** `Unit:function` */
  readonly qualifiedName: string;
  readonly schedule: string;
  readonly started: Date;
  readonly finished: Date;
  readonly success: boolean;
  readonly error: string | null;
  readonly stackTrace: string | null;
}

export async function saveResult(pool: Pick<Pool, 'query'>, ...results: RunResult[]): Promise<void> {
  await pool.query(
    `insert into __scheduled_function_result__
       (_id_, _tstamp_, datetimestampstarted, datetimestampfinished, qualifiedname, schedule, error, stacktrace, success)
     select id, finished, started, finished, name, schedule, error, stack, success
     from unnest($1::uuid[], $2::timestamp[], $3::timestamp[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[])
          as run (id, started, finished, name, schedule, error, stack, success)`,
    [
      results.map(({ id }) => id),
      results.map(({ started }) => started.toISOString()),
      results.map(({ finished }) => finished.toISOString()),
      results.map(({ qualifiedName }) => qualifiedName),
      results.map(({ schedule }) => schedule),
      results.map(({ error }) => error),
      results.map(({ stackTrace }) => stackTrace),
      results.map(({ success }) => success),
    ],
  );
}

export async function pruneResults(pool: Pick<Pool, 'query'>, maxResults: number): Promise<void> {
  await pool.query(
    `delete from __scheduled_function_result__ where datetimestampstarted <=
       (select datetimestampstarted from __scheduled_function_result__ order by datetimestampstarted desc offset $1 limit 1)`,
    [maxResults],
  );
}
