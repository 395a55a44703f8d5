import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@portal/kit/postgres/launcher';
import { type HeliumDatabase, openHeliumDatabase } from '@portal/platforms/helium-database/database';
import { readNewestLogRows } from '@portal/platforms/helium-database/logging-log';
import {
  listMissingResultIndexes,
  readLastResults,
  readNewestResults,
} from '@portal/platforms/helium-database/scheduled-function-results';
import { count, type Figure, median, printFigures } from './figures.ts';

/**
 * `npm run bench -- large-tables [RESULTS] [LOG_ROWS] [ROUNDS]`: the queries of an app's results
 * and log on tables of the size of a large real app, which have no index but the primary key, and
 * with the indexes that the portal suggests. The peer is one scan of the table by `count(*)`.
 */
const [results = 1_000_000, logRows = 10_000_000, rounds = 7] = process.argv.slice(2).map(Number);
const functions = 40;
const schemaName = 'bench_001';

const createTables = `
  create schema ${schemaName};
  create table ${schemaName}.__scheduled_function_result__ (
    _id_ uuid primary key, _tstamp_ timestamp not null, datetimestampstarted timestamp, datetimestampfinished timestamp,
    qualifiedname text, schedule text, error text, stacktrace text, success boolean);
  create table ${schemaName}.__logging_log__ (
    _id_ uuid primary key, _tstamp_ timestamp not null, userid uuid, key text, value text, time timestamp);
  -- Every hundredth run fails. The last one was now, and the first a year ago.
  insert into ${schemaName}.__scheduled_function_result__
    select gen_random_uuid(), at, at, at + interval '3 seconds', 'Unit:function' || n % ${functions}, '0 * * * *',
      case when n % 100 = 0 then 'It failed.' end,
      case when n % 100 = 0 then repeat('at Unit:function line 12' || n, 80) end, n % 100 <> 0
    from (select n, timezone('UTC', now()) - interval '365 days' * ((${results} - n)::float8 / ${results}) as at
          from generate_series(1, ${results}) n) run;
  insert into ${schemaName}.__logging_log__
    select gen_random_uuid(), at, null, 'INFO', 'Visit ' || n || ' was saved by the nightly synchronization.', at
    from (select n, timezone('UTC', now()) - interval '365 days' * ((${logRows} - n)::float8 / ${logRows}) as at
          from generate_series(1, ${logRows}) n) line;
  analyze;`;

const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), isFast: true });
const database = openHeliumDatabase({ name: 'bench', url: postgres.url, statementTimeoutMs: 600_000 });
try {
  await database.query(createTables);
  const without = await measure(database, 'without an index');
  const statements = await listMissingResultIndexes(database, schemaName);
  for (const statement of statements) await database.query(statement);
  const figures = [...without, ...(await measureResults(database, `with ${statements.length} indexes`))];
  printFigures(
    `large-tables: ${count(results)} results, ${count(logRows)} log rows, medians of ${rounds} rounds`,
    figures,
  );
} finally {
  await database.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(db: HeliumDatabase, title: string): Promise<Figure[]> {
  const scan = (table: string) => time(() => db.query(`select count(*) from ${schemaName}.${table}`));
  const [resultScan, logScan] = [await scan('__scheduled_function_result__'), await scan('__logging_log__')];
  const afterMillis = Date.now() - 600_000;
  const log = await time(() => readNewestLogRows(db, schemaName, { afterMillis, maxRows: 10_000 }));
  return [
    ...(await measureResults(db, title, resultScan)),
    { what: `log of an interruption of ten minutes, ${title}`, ...compare(log, logScan) },
  ];
}

async function measureResults(db: HeliumDatabase, title: string, scan?: number): Promise<Figure[]> {
  const newest = await time(() => readNewestResults(db, schemaName, { limit: 100 }));
  const last = await time(() => readLastResults(db, schemaName));
  const goalMs = scan === undefined ? 10 : 300;
  const goal = { goal: `${scan === undefined ? '≤' : '<'} ${goalMs} ms`, met: newest <= goalMs };
  return [
    { what: `newest 100 results, ${title}`, ...compare(newest, scan), ...goal },
    {
      what: `last result of each of ${functions} functions, ${title}`,
      ...compare(last, scan),
      ...(scan === undefined && { ...goal, met: last <= goalMs }),
    },
  ];
}

function compare(ms: number, scanMs: number | undefined): Pick<Figure, 'ours' | 'peer' | 'ratio'> {
  if (scanMs === undefined) return { ours: `${count(ms)} ms` };
  return { ours: `${count(ms)} ms`, peer: `${count(scanMs)} ms`, ratio: ms / scanMs };
}

/** Returns the median in milliseconds; the first round warms up. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const from = performance.now();
    await work();
    if (round > 0) times.push(performance.now() - from);
  }
  return median(times);
}
