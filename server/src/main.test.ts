import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getConfig } from '@portal/contract/app-config';
import { logSocket } from '@portal/contract/logs';
import { bundleProgram } from '@portal/kit/bundle-program.fixture';
import { openConnections } from '@portal/kit/open-connections.fixture';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { migrationsFolder } from './database/migrations-folder.ts';
import { TestClient } from './testing/test-client.ts';

let folder: string;
let program: string;
let database: TestDatabase;
let configFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-main-'));
  program = await bundleProgram(fileURLToPath(new URL('./main.ts', import.meta.url)), folder);
  await symlink(migrationsFolder, join(folder, 'migrations'));
  // Packages that look for files beside their own code are not bundled.
  await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  database = await createTestDatabase();
  configFile = join(folder, 'portal.config.yaml');
  await writeFile(
    configFile,
    'environments: [{ name: Production, baseUrl: "http://127.0.0.1:1" }]\nstateFolder: state\n',
  );
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

interface Report {
  readonly type: 'ready' | 'failed';
  readonly address?: string;
  readonly reason?: string;
}

async function start(
  env: Record<string, string>,
): Promise<{ child: ChildProcess; report: Report; exited: Promise<unknown[]> }> {
  const child = fork(program, [], {
    cwd: folder,
    execArgv: [],
    env: {
      ...process.env,
      PORTAL_CONFIG: configFile,
      PORTAL_DATABASE_URL: database.url,
      PORT: '0',
      LOG_LEVEL: 'fatal',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [report] = await once(child, 'message');
  return { child, report, exited };
}

function openLog(address: string, appId: string, headers: Record<string, string>) {
  const path = logSocket.paths[0].replace(':appId', appId);
  const socket = new WebSocket(address.replace('http', 'ws') + path, { headers });
  return { opened: once(socket, 'open'), closed: once(socket, 'close').then(([code]) => code) };
}

describe('server process', () => {
  it('reports its address and shuts down in order', async () => {
    const { child, report, exited } = await start({});
    expect(report.type).toBe('ready');
    const ready = await fetch(`${report.address}/readyz`);
    expect(ready.status).toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('ends with all connections open and a response under way, and closes its sockets with 1001', async () => {
    const helium = await startTestSimulator();
    const file = join(folder, 'simulated.config.yaml');
    await writeFile(file, `environments: [{ name: Production, baseUrl: "${helium.baseUrl}" }]\nstateFolder: state\n`);
    const { child, report, exited } = await start({ PORTAL_CONFIG: file });
    const address = report.address ?? '';
    const client = await new TestClient(address).signIn('demo', 'demo', helium.baseUrl);
    const appId = helium.app('Clinic Visits').id;
    const connections = await openConnections(address, '/healthz');
    const sockets = Array.from({ length: 10 }, () => openLog(address, appId, client.cookieHeaders));
    for (const { opened } of sockets) await opened;
    // The platform never responds, so this call takes until its timeout.
    helium.faults.set({ mode: 'hang', path: 'app-config', times: 1 });
    const call = client.attempt(getConfig, { appId }).then(
      () => 'answered',
      () => 'cut',
    );
    await expect.poll(() => helium.faults.list()).toEqual([]);

    child.kill('SIGTERM');
    // The shutdown's own time limit would end it with exit code 1.
    expect(await exited).toEqual([0, null]);
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual(Array(10).fill(1001));
    expect(await call).toBe('cut');
    for (const connection of connections) connection.destroy();
    await helium.stop({ dropDatabases: true });
  });

  it('exits when its parent process has exited', async () => {
    const { child, exited } = await start({});
    child.disconnect();
    expect(await exited).toEqual([0, null]);
  });

  it('reports in one sentence why it cannot start', async () => {
    const first = await start({});
    const port = new URL(first.report.address ?? '').port;
    const failures: [Record<string, string>, string][] = [
      [{ PORT: port }, `Port ${port} is already in use. Set PORT to another port.`],
      [{ PORT: '70000' }, 'PORT is 70000, which is not a valid port. Set it to a number up to 65535.'],
      [
        { PORTAL_DATABASE_URL: 'postgres://127.0.0.1:1/portal' },
        "The portal's database is unreachable: connect ECONNREFUSED 127.0.0.1:1.",
      ],
      [
        { PORTAL_CONFIG: '/nowhere.yaml' },
        'The configuration (/nowhere.yaml) has 1 error:\n  the file /nowhere.yaml does not exist',
      ],
    ];
    await Promise.all(
      failures.map(async ([env, reason]) => {
        const { report, exited } = await start(env);
        expect(report).toEqual({ type: 'failed', reason });
        expect((await exited)[0]).toBe(1);
      }),
    );
    first.child.kill('SIGTERM');
    await first.exited;
  });

  it('refuses the database of an older checkout in one sentence and leaves its tables untouched', async () => {
    const older = await createTestDatabase();
    const client = new pg.Client(older.url);
    await client.connect();
    try {
      await plantOlderTables(client);
      const { report, exited } = await start({ PORTAL_DATABASE_URL: older.url });
      expect(report.type).toBe('failed');
      expect(report.reason).toMatch(
        /^The database could not be migrated: the database ".+" on .+ was created by another version of this program; [^.]+ or delete the folder \.portal if it was created there\.$/,
      );
      expect((await exited)[0]).toBe(1);
      const tables = await client.query<[string]>({
        text: `select tablename from pg_tables where schemaname = 'public' order by tablename`,
        rowMode: 'array',
      });
      expect(tables.rows.flat()).toEqual(['kept_roster', 'migration']);
      expect((await client.query('select team from kept_roster')).rows).toEqual([{ team: 'Health' }]);
      const { rows } = await client.query('select version::int, name, md5 from migration order by version');
      expect(rows.map(({ version, name, md5 }) => [version, name, md5])).toEqual(
        olderMigrations.map(([name, md5], at) => [at + 1, name, md5]),
      );
    } finally {
      await client.end();
      await older.drop();
    }
  });
});

/** The migrations of an older checkout as in its migration table: each file with its checksum. */
const olderMigrations = [
  ['sessions', 'b3374f96aebdcf9c1590687523650a79'],
  ['audit', '97485ceb3ae8bf11de6126977aaffff2'],
  ['schema-access', '18bd0ae991866e51d5ab6342fbdd006b'],
  ['statement-snapshots', 'a6d2a5100e2f8785d4e7afd6d5d70de0'],
  ['deployments', '839609c14039589d524f54dc9e01ffce'],
  ['support-roster', '4bdcb13d458caf5451689b627f0ebc16'],
  ['latest-release', '6a3450de642ce61491dd532da2320c4b'],
  ['written-schedules', '46c2d4c810cb7fe865a04716b71923f1'],
  ['kept-rosters', '50e767dcf6fc18e25b065d3c287ba820'],
  ['sync-dashboards', 'f23abdf3acdb6b0ba7c1c6cc9dad0500'],
] as const;

async function plantOlderTables(client: pg.Client): Promise<void> {
  await client.query('create table migration (version bigint primary key, name text, md5 text, run_at timestamptz)');
  for (const [at, [name, md5]] of olderMigrations.entries())
    await client.query('insert into migration values ($1, $2, $3, now())', [at + 1, name, md5]);
  await client.query('create table kept_roster (team text primary key)');
  await client.query(`insert into kept_roster values ('Health')`);
}
