/** Generates past runs of an app, so that its first day has data. */
import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import type pg from 'pg';
import type { AppDefinition, FunctionDefinition } from './definition.ts';
import { formatShortError, formatStackTrace, JavaException } from './java-exception.ts';
import { type RunResult, saveResult } from './run-results.ts';

const dayMs = 24 * 60 * 60 * 1000;
const maxRuns = 120;
const failedOneIn = 23;

export async function seedHistory(client: pg.ClientBase, app: AppDefinition, timeZone: string): Promise<void> {
  const now = Date.now();
  const results = app.functions.flatMap((one) => createHistory(app, one, timeZone, now));
  if (results.length > 0) await saveResult(client, ...results);
  const before = (app.storedResults ?? 0) - results.length;
  if (before > 0) await fillHistory(client, app, before);
}

/** Adds older results of a year, all functions in turn; one of a hundred failed. */
async function fillHistory(client: pg.ClientBase, app: AppDefinition, count: number): Promise<void> {
  const names = app.functions.map(({ unit, event }) => `${unit}:${event}`);
  const schedules = app.functions.map(({ schedule }) => schedule);
  const problem = failures[0];
  const [example] = app.functions;
  if (!example) return;
  await client.query(
    `insert into __scheduled_function_result__
       (_id_, _tstamp_, datetimestampstarted, datetimestampfinished, qualifiedname, schedule, error, stacktrace, success)
     select gen_random_uuid(), at, at, at + interval '300 ms', ($1::text[])[1 + i % $3::int], ($2::text[])[1 + i % $3::int],
       case when i % 100 = 7 then $5 end, case when i % 100 = 7 then $6 end, i % 100 <> 7
     from (select i, timezone('UTC', now()) - interval '2 days' - interval '363 days' * (i::float8 / $4) as at
           from generate_series(1, $4::int) as i) as runs`,
    [names, schedules, names.length, count, formatShortError(problem, example), formatStackTrace(problem, example)],
  );
}

/**
 * Includes at least the latest run, however old. That run succeeded unless the function always
 * fails, so that a new demo starts without other failures.
 */
function createHistory(app: AppDefinition, one: FunctionDefinition, timeZone: string, now: number): RunResult[] {
  const cron = new Cron(one.schedule, { timezone: timeZone, paused: true, mode: '5-part' });
  return listRecentRuns(cron, now).map((run, index) =>
    createResult(app, one, { due: run, mayFail: index > 0 || one.alwaysFails === true }),
  );
}

/** From the latest to the earliest; only as many as needed, because each takes time to find. */
function listRecentRuns(cron: Cron, now: number): Date[] {
  const runs: Date[] = [];
  let before = new Date(now - 60_000);
  while (runs.length < maxRuns) {
    const [run] = cron.previousRuns(1, before);
    if (!run || (runs.length > 0 && now - run.getTime() >= dayMs)) break;
    runs.push(run);
    before = run;
  }
  return runs;
}

function createResult(
  app: AppDefinition,
  one: FunctionDefinition,
  { due, mayFail }: { readonly due: Date; readonly mayFail: boolean },
): RunResult {
  const qualifiedName = `${one.unit}:${one.event}`;
  const dice = createHash('sha256').update(`${app.schemaName} ${qualifiedName} ${due.getTime()}`).digest();
  const started = new Date(due.getTime() + (dice.readUInt16LE(0) % 4_000));
  const typicalMs = 40 + (dice.readUInt16LE(2) % 900);
  const failed = mayFail && (one.alwaysFails === true || dice.readUInt32LE(4) % failedOneIn === 0);
  const problem = failures[one.alwaysFails ? 0 : dice.readUInt8(8) % failures.length];
  return {
    id: createUuid(dice),
    qualifiedName,
    schedule: one.schedule,
    started,
    finished: new Date(started.getTime() + (failed ? typicalMs * 8 : typicalMs)),
    success: !failed,
    error: failed ? formatShortError(problem, one) : null,
    stackTrace: failed ? formatStackTrace(problem, one) : null,
  };
}

const failures = [
  new JavaException(
    'com.mezzanineware.dsl.runtime.http.OutboundApiException',
    'Outbound API call failed after 12 seconds',
    new JavaException('java.net.SocketTimeoutException', 'Read timed out'),
  ),
  new JavaException(
    'org.postgresql.util.PSQLException',
    'ERROR: deadlock detected\n  Detail: Process 23117 waits for ShareLock on transaction 8812331; blocked by process 23120.',
  ),
  new JavaException('java.lang.NullPointerException', 'Cannot read attribute "name" of null'),
];

function createUuid(bytes: Buffer): string {
  const hex = bytes.subarray(9, 25).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
