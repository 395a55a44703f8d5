// @module-tag long

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '@portal/kit/bundle-program.fixture';
import { openConnections } from '@portal/kit/open-connections.fixture';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { migrationsFolder } from './portal-store/migrations-folder.ts';

let folder: string;
let program: string;
let database: TestDatabase;
const children: ChildProcess[] = [];
const token = 'sync-token-of-this-test-0123456789';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sync-main-'));
  program = await bundleProgram(fileURLToPath(new URL('./main.ts', import.meta.url)), folder);
  symlinkSync(migrationsFolder, join(folder, 'migrations'));
  database = await createTestDatabase();
  const file =
    'environments: [{ name: Production, baseUrl: "http://127.0.0.1:1" }]\nstateFolder: state\n' +
    `sync: { token: ${token} }\n`;
  writeFileSync(join(folder, 'portal.config.yaml'), file);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function start(env: Record<string, string> = {}) {
  const child = fork(program, [], {
    cwd: folder,
    execArgv: [],
    env: {
      ...process.env,
      PORTAL_CONFIG: join(folder, 'portal.config.yaml'),
      PORTAL_DATABASE_URL: database.url,
      SYNC_PORT: '0',
      LOG_LEVEL: 'fatal',
      ...env,
    },
  });
  children.push(child);
  const exited = once(child, 'exit');
  const [report]: { type?: string; address?: string; reason?: string }[] = await once(child, 'message');
  return { child, report, exited };
}

/** Opens a socket whose first frame is still missing. */
function openSocket(address: string) {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`, { headers });
  return { opened: once(socket, 'open'), closed: once(socket, 'close').then(([code]) => code) };
}

test('reports its address, creates its tables, and stops in order on a signal', { tags: 'short' }, async () => {
  const { child, report, exited } = await start();
  expect(report).toEqual({ type: 'ready', address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  expect((await fetch(`${report?.address}/health`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('ends with all connections open, and closes its sockets with 1001', async () => {
  const { child, report, exited } = await start();
  const address = report?.address ?? '';
  const connections = await openConnections(address, '/health');
  const sockets = Array.from({ length: 10 }, () => openSocket(address));
  for (const { opened } of sockets) await opened;
  child.kill('SIGTERM');
  // The shutdown's own time limit would end it with exit code 1.
  expect(await exited).toEqual([0, null]);
  expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual(Array(10).fill(1001));
  for (const connection of connections) connection.destroy();
});

test('exits when the parent process has exited', async () => {
  const { child, exited } = await start();
  child.disconnect();
  expect(await exited).toEqual([0, null]);
});

test('runs twice at once, and reports a port that is already in use', async () => {
  const first = await start();
  const second = await start();
  expect(second.report?.type).toBe('ready');
  const port = new URL(first.report?.address ?? '').port;
  const third = await start({ SYNC_PORT: port });
  expect(third.report).toEqual({
    type: 'failed',
    reason: `Port ${port} is already in use. Set SYNC_PORT to another port.`,
  });
  expect(await third.exited).toEqual([1, null]);
});

test('explains what to do with a database migrated by another version', async () => {
  const older = await createTestDatabase();
  const client = new pg.Client(older.url);
  await client.connect();
  await client.query(
    `create table sync_migration (version bigint primary key, name text, md5 text, run_at timestamptz);
     insert into sync_migration values (1, 'integrations', 'of an older file', now())`,
  );
  await client.end();
  const { report, exited } = await start({ PORTAL_DATABASE_URL: older.url });
  expect(report).toEqual({
    type: 'failed',
    reason: expect.stringMatching(
      /^The database could not be migrated: .* created by another version .* empty database/,
    ),
  });
  expect(await exited).toEqual([1, null]);
  await older.drop();
});

test.each([
  [{ SYNC_PORT: '70000' }, 'SYNC_PORT is 70000, which is not a valid port. Set it to a number up to 65535.'],
  [
    { PORTAL_DATABASE_URL: 'postgres://127.0.0.1:1/portal' },
    "The portal's database is unreachable: connect ECONNREFUSED 127.0.0.1:1.",
  ],
  [{ PORTAL_ENCRYPTION_KEY: 'short' }, expect.stringContaining('encryptionKey: is 32 bytes')],
])('reports why it cannot start: %j', async (env: Record<string, string>, reason: string) => {
  const { report, exited } = await start(env);
  expect(report).toEqual({ type: 'failed', reason });
  expect(await exited).toEqual([1, null]);
});
