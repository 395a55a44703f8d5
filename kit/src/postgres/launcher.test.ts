// @module-tag long

import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { getCommandLine, getProcessIdentity } from '../process-identity.ts';
import { type PostgresServer, startPostgres } from './launcher.ts';

const isRoot = process.getuid?.() === 0;
let root: string;
let dataDir: string;
const started: PostgresServer[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'launcher-'));
  chmodSync(root, 0o755);
  dataDir = join(root, 'postgres');
});

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  rmSync(root, { recursive: true, force: true });
});

async function start(options: { port?: number; settings?: Record<string, string> } = {}): Promise<PostgresServer> {
  const server = await startPostgres({ dataDir, isFast: true, ...options });
  started.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

function readServerPid(): number {
  return Number(readFileSync(join(dataDir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

const waitForExit = (pid: number) =>
  vi.waitUntil(() => getProcessIdentity(pid) === undefined, { timeout: 100_000, interval: 10 });

/** Starts a separate process that owns the server and can be killed. */
async function startOwner() {
  const owner = fork(join(import.meta.dirname, 'owner.fixture.ts'), [dataDir], { execArgv: ['--import', 'tsx'] });
  const [url] = await once(owner, 'message');
  return { owner, url: String(url), pid: readServerPid() };
}

describe('started PostgreSQL server', () => {
  test('accepts the right password only, and records statement statistics', { tags: 'short' }, async () => {
    const server = await start();
    await query(server.url, 'create extension pg_stat_statements');
    expect(await query(server.url, 'select count(*) > 0 from pg_stat_statements')).toEqual([true]);
    await expect(query(server.urlFor('postgres', 'postgres', 'wrong'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
  });

  test('keeps its data and port across a restart and a stop', async () => {
    const server = await start({ settings: { work_mem: '5MB' } });
    await query(server.url, 'create table sample as select 42 as value');
    await server.restart();
    expect(await query(server.url, 'select value from sample')).toEqual([42]);
    expect(await query(server.url, 'SHOW work_mem')).toEqual(['5MB']);
    await server.stop();
    await server.stop();
    const again = await start({ port: server.port });
    expect(again.url).toBe(server.url);
    expect(await query(again.url, 'select value from sample')).toEqual([42]);
  });

  test('refuses a second owner of the data folder', async () => {
    await start();
    await expect(startPostgres({ dataDir })).rejects.toThrow(`in use by process ${process.pid}.`);
  });

  test('reports the loss of a server that stops unexpectedly', async () => {
    const server = await start();
    process.kill(readServerPid(), 'SIGINT');
    expect(await server.lost).toBe('database system is shut down');
  });
});

describe('PostgreSQL after a crash', () => {
  test('stops the server when its owner is killed, and the next start finds its data intact', async () => {
    const { owner, url, pid } = await startOwner();
    await query(url, 'create table sample as select 42 as value');
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    // The server can exit before the kernel has ended its owner, which holds the lock until then.
    await Promise.all([ended, waitForExit(pid)]);
    const server = await start();
    expect(await query(server.url, 'select value from sample')).toEqual([42]);
  });

  test.runIf(process.platform === 'linux')('stops an orphaned server at the next start', async () => {
    const { owner, url, pid } = await startOwner();
    await query(url, 'create table sample as select 42 as value');
    const watchers = readdirSync('/proc')
      .map(Number)
      .filter((id) => id !== pid && getCommandLine(id).includes(` -D ${join(dataDir, 'data')} `));
    expect(watchers).toHaveLength(2);
    for (const watcher of watchers) process.kill(watcher, 'SIGKILL');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(getProcessIdentity(pid)).toBeDefined();
    const server = await start();
    expect(getProcessIdentity(pid)).toBeUndefined();
    expect(await query(server.url, 'select value from sample')).toEqual([42]);
  });

  test('starts again after the server was killed', async () => {
    const server = await start();
    for (let time = 0; time < 2; time += 1) {
      process.kill(readServerPid(), 'SIGKILL');
      expect(await server.lost).toBe('signal SIGKILL');
      await server.restart();
      expect(await query(server.url, 'select 1')).toEqual([1]);
    }
  });

  test('starts again while a statement of the killed server is still running', async () => {
    const server = await start();
    const client = new pg.Client(server.url);
    client.on('error', () => undefined);
    await client.connect();
    // A loop that never waits does not notice that its server is gone.
    const loop = `do $$ declare ends timestamptz := clock_timestamp() + interval '2 s';
      begin while clock_timestamp() < ends loop end loop; end $$`;
    const running = client.query(loop).catch(() => undefined);
    const sql = "select count(*)::int from pg_stat_activity where state = 'active' and query ~ '^do'";
    await vi.waitUntil(async () => (await query(server.url, sql))[0] === 1, { timeout: 100_000 });
    process.kill(readServerPid(), 'SIGKILL');
    await server.lost;
    await server.restart();
    expect(await query(server.url, 'select 1')).toEqual([1]);
    await running;
    await client.end().catch(() => undefined);
  });

  test('ignores a pid file that names an unrelated process, and leaves that process running', async () => {
    await (await start()).stop();
    writeFileSync(
      join(dataDir, 'data', 'postmaster.pid'),
      `${process.pid}\n${dataDir}/data\n1\n5432\n\n127.0.0.1\n1 1\nready\n`,
    );
    const server = await start();
    expect(await query(server.url, 'select 1')).toEqual([1]);
  });

  test('repeats an interrupted initdb', async () => {
    mkdirSync(join(dataDir, 'data.unfinished', 'base'), { recursive: true });
    const server = await start();
    expect(await query(server.url, 'select 1')).toEqual([1]);
  });
});

describe('PostgreSQL that cannot start', () => {
  test('reports a port in use in one sentence', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const failure = start({ port });
    await expect(failure).rejects.toThrow(
      `PostgreSQL cannot start on port ${port}: could not bind IPv4 address "127.0.0.1": Address already in use.`,
    );
    taken.close();
    // The failed start must not leave a lock.
    await start();
  });

  test('names an invalid setting', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /^PostgreSQL cannot start on port \d+: invalid value for parameter "shared_buffers": "plenty"\.$/,
    );
  });
});

describe.runIf(isRoot)('PostgreSQL started by root', () => {
  test('runs the server as an unprivileged user', async () => {
    await start();
    expect(statSync(join(dataDir, 'data')).uid).not.toBe(0);
    expect(statSync(`/proc/${readServerPid()}`).uid).toBe(statSync(join(dataDir, 'data')).uid);
  });

  test('stores data of an inaccessible folder elsewhere, and starts fresh when the folder is deleted', async () => {
    chmodSync(root, 0o700);
    const server = await start();
    await query(server.url, 'create table sample as select 42 as value');
    await server.stop();
    expect(await query((await start()).url, 'select value from sample')).toEqual([42]);
    await started.at(-1)?.stop();
    const elsewhere = realpathSync(join(dataDir, 'data'));
    expect(elsewhere.startsWith(realpathSync(root))).toBe(false);

    rmSync(dataDir, { recursive: true });
    await expect(query((await start()).url, 'select value from sample')).rejects.toThrow('does not exist');
    await started.at(-1)?.stop();

    // The data of a deleted temporary folder is removed when the next one is created.
    rmSync(dataDir, { recursive: true });
    dataDir = join(root, 'another');
    await start();
    expect(existsSync(elsewhere)).toBe(false);
  });
});
