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
  const server = await startPostgres({ dataDir, fast: true, ...options });
  started.push(server);
  return server;
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

function serverPid(): number {
  return Number(readFileSync(join(dataDir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

const gone = (pid: number) =>
  vi.waitUntil(() => getProcessIdentity(pid) === undefined, { timeout: 20_000, interval: 10 });

/** A program of its own that owns the server, ready to be killed. */
async function startOwner() {
  const owner = fork(join(import.meta.dirname, 'owner.fixture.ts'), [dataDir], { execArgv: ['--import', 'tsx'] });
  const [url] = await once(owner, 'message');
  return { owner, url: String(url), pid: serverPid() };
}

describe('a started server', () => {
  test('answers the right password only, and counts statements', async () => {
    const server = await start();
    await ask(server.url, 'create extension pg_stat_statements');
    expect(await ask(server.url, 'select count(*) > 0 from pg_stat_statements')).toEqual([true]);
    await expect(ask(server.urlFor('postgres', 'postgres', 'wrong'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
  });

  test('keeps its data over a restart and over a stop, on the same port', async () => {
    const server = await start({ settings: { work_mem: '5MB' } });
    await ask(server.url, 'create table kept as select 42 as answer');
    await server.restart();
    expect(await ask(server.url, 'select answer from kept')).toEqual([42]);
    expect(await ask(server.url, 'SHOW work_mem')).toEqual(['5MB']);
    await server.stop();
    await server.stop();
    const again = await start({ port: server.port });
    expect(again.url).toBe(server.url);
    expect(await ask(again.url, 'select answer from kept')).toEqual([42]);
  });

  test('belongs to one owner at a time', async () => {
    await start();
    await expect(startPostgres({ dataDir })).rejects.toThrow(`in use by process ${process.pid}.`);
  });

  test('that ends by itself is reported lost', async () => {
    const server = await start();
    process.kill(serverPid(), 'SIGINT');
    expect(await server.lost).toMatch(/^PostgreSQL ended: /);
  });
});

describe('after a crash', () => {
  test('a killed owner leaves no server, and the next start finds its data whole', async () => {
    const { owner, url, pid } = await startOwner();
    await ask(url, 'create table kept as select 42 as answer');
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    // The server can be gone before the kernel has taken its owner down, which holds the lock until
    // then.
    await Promise.all([ended, gone(pid)]);
    const server = await start();
    expect(await ask(server.url, 'select answer from kept')).toEqual([42]);
  });

  test.runIf(process.platform === 'linux')(
    'a server left running without anyone to watch it is ended by the next start',
    async () => {
      const { owner, url, pid } = await startOwner();
      await ask(url, 'create table kept as select 42 as answer');
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
      expect(await ask(server.url, 'select answer from kept')).toEqual([42]);
    },
  );

  test('a killed server does not hinder the next start', async () => {
    const server = await start();
    process.kill(serverPid(), 'SIGKILL');
    await server.lost;
    await server.restart();
    expect(await ask(server.url, 'select 1')).toEqual([1]);
  });

  test('a pid file that names a living stranger is no hindrance, and the stranger lives on', async () => {
    await (await start()).stop();
    writeFileSync(
      join(dataDir, 'data', 'postmaster.pid'),
      `${process.pid}\n${dataDir}/data\n1\n5432\n\n127.0.0.1\n1 1\nready\n`,
    );
    const server = await start();
    expect(await ask(server.url, 'select 1')).toEqual([1]);
  });

  test('half an initdb is done anew', async () => {
    mkdirSync(join(dataDir, 'data.unfinished', 'base'), { recursive: true });
    const server = await start();
    expect(await ask(server.url, 'select 1')).toEqual([1]);
  });
});

describe('when it cannot start', () => {
  test('a taken port is one sentence', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const failure = start({ port });
    await expect(failure).rejects.toThrow(
      `PostgreSQL cannot start on port ${port}: could not bind IPv4 address "127.0.0.1": Address already in use.`,
    );
    taken.close();
    // The failed start holds nothing back.
    await start();
  });

  test('a wrong setting is named', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /^PostgreSQL cannot start on port \d+: invalid value for parameter "shared_buffers": "plenty"\.$/,
    );
  });
});

describe.runIf(isRoot)('as root', () => {
  test('the server runs as an unprivileged user', async () => {
    await start();
    expect(statSync(join(dataDir, 'data')).uid).not.toBe(0);
    expect(statSync(`/proc/${serverPid()}`).uid).toBe(statSync(join(dataDir, 'data')).uid);
  });

  test('data under a folder that user cannot enter is kept elsewhere, and begins anew with its folder', async () => {
    chmodSync(root, 0o700);
    const server = await start();
    await ask(server.url, 'create table kept as select 42 as answer');
    await server.stop();
    expect(await ask((await start()).url, 'select answer from kept')).toEqual([42]);
    await started.at(-1)?.stop();
    const elsewhere = realpathSync(join(dataDir, 'data'));
    expect(elsewhere.startsWith(realpathSync(root))).toBe(false);

    rmSync(dataDir, { recursive: true });
    await expect(ask((await start()).url, 'select answer from kept')).rejects.toThrow('does not exist');
    await started.at(-1)?.stop();

    // A temporary folder that is gone takes its data along, when the next such folder is made.
    rmSync(dataDir, { recursive: true });
    dataDir = join(root, 'another');
    await start();
    expect(existsSync(elsewhere)).toBe(false);
  });
});
