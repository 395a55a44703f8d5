import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoSystem } from '@portal/e2e/demo-system';
import { getProcessTree, getResidentMb } from '@portal/e2e/processes';
import { withClient } from '@portal/kit/postgres/pool';
import { listDefinitions } from '@portal/simulators/helium/definitions';

/** What a benchmark reads of a demo system beside the portal's API. */
export interface CompanySystem {
  readonly origin: string;
  /** The address of the platform of Production. */
  readonly platform: string;
  /** Of the server's process. */
  readResidentMb(): number;
  countPlatformCalls(): Promise<number>;
  countAuditEntries(): Promise<number>;
  /** The checks of function results on Production's data sources so far. */
  readStatements(): Promise<{ readonly ms: number; readonly evicted: number }>;
  /**
   * Of the apps with a function that always fails, those that the portal's database has as failing.
   */
  readFailingApps(): Promise<{ readonly shown: number; readonly all: number; readonly oldestSecs: number }>;
  /** Makes a data source accept connections and answer nothing until `run` has ended. */
  withHangingDataSource(run: () => Promise<void>): Promise<void>;
}

const hungDatabase = 'production_helium_app_2';

export function openCompanySystem({ port, stateDir }: DemoSystem, size: 'company' | 'small'): CompanySystem {
  const readJson = (name: string) => JSON.parse(readFileSync(join(stateDir, name), 'utf8'));
  const password = readFileSync(join(stateDir, 'postgres', 'password'), 'utf8').trim();
  const urlFor = (database: string) =>
    `postgres://postgres:${password}@127.0.0.1:${readJson('ports.json').postgres}/${database}`;
  const platform = `http://127.0.0.1:${readJson('helium-ports.json').Production}`;
  const production = listDefinitions(size).find(({ name }) => name === 'Production');
  const failing = (production?.apps ?? [])
    .filter(({ functions }) => functions.some(({ alwaysFails }) => alwaysFails))
    .map(({ schemaName }) => schemaName);
  return {
    origin: `http://127.0.0.1:${port}`,
    platform,
    readResidentMb: () => getResidentMb(findServer()),
    async countPlatformCalls() {
      const response = await fetch(`${platform}/simulator/calls`);
      const { calls }: { calls: number } = await response.json();
      return calls;
    },
    countAuditEntries: () =>
      withClient({ connectionString: urlFor('portal') }, async (client) => {
        const { rows } = await client.query<{ count: number }>('select count(*)::int as count from audit_entry');
        return rows[0]?.count ?? 0;
      }),
    readStatements: () =>
      withClient({ connectionString: urlFor('production_helium_app_1') }, async (client) => {
        // Of the same mark are the statements of the sync service and of other screens.
        const { rows } = await client.query<{ ms: number; evicted: number }>(
          `select coalesce(sum(total_exec_time), 0)::float8 as ms,
             (select dealloc::float8 from pg_stat_statements_info) as evicted
           from pg_stat_statements s join pg_database d on d.oid = s.dbid
           where d.datname like 'production_helium_app_%' and query like '%/* portal */%'
             and (query like '%.__scheduled_function_result__%' or query like '%i.indrelid = to_regclass(%')`,
        );
        return rows[0] ?? { ms: Number.NaN, evicted: Number.NaN };
      }),
    readFailingApps: () =>
      withClient({ connectionString: urlFor('portal') }, async (client) => {
        const { rows } = await client.query<{ shown: number; oldestSecs: number }>(
          `select count(distinct app)::int as shown, extract(epoch from now() - min(read_at))::float8 as "oldestSecs"
           from app_check where environment = 'Production' and subject = 'functions' and app = any($1)
             and (result ->> 'count')::int > 0`,
          [failing],
        );
        return { shown: rows[0]?.shown ?? 0, all: failing.length, oldestSecs: rows[0]?.oldestSecs ?? Number.NaN };
      }),
    withHangingDataSource: (run) =>
      withClient({ connectionString: urlFor(hungDatabase) }, async (client) => {
        // Whatever reads an app's results waits, and so does each new connection.
        await client.query('begin');
        await client.query(`do $$ declare results text; begin
          for results in select oid::regclass from pg_class where relname = '__scheduled_function_result__' loop
            execute format('lock table %s in access exclusive mode', results);
          end loop; end $$`);
        await client.query('lock table pg_catalog.pg_class in access exclusive mode');
        await run();
        await client.query('rollback');
      }),
  };
}

function findServer(): number {
  const server = getProcessTree(process.pid).find(({ pid }) => {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.some((word) => word.endsWith('server/dist/main.mjs'));
  });
  if (!server) throw new Error('the server does not run');
  return server.pid;
}
