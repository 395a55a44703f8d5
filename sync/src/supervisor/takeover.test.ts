// @module-tag long

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '@portal/kit/bundle-program.fixture';
import { withClient } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  configFor,
  createSyncDatabase,
  startTestService,
  type TestApp,
  type TestService,
  until,
} from '../service.fixture.ts';
import type { WorkDone } from '../service-process.fixture.ts';

let folder: string;
let program: string;
let database: TestDatabase;
let child: ChildProcess;
let work: WorkDone[];
let service: TestService | undefined;
const apps: readonly TestApp[] = ['a', 'b', 'c', 'd'].map((name) => ({ id: name, name, schemaName: name }));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portal-takeover-'));
  program = await bundleProgram(fileURLToPath(new URL('../service-process.fixture.ts', import.meta.url)), folder);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  database = await createSyncDatabase();
  work = [];
  child = fork(program, [database.url], { execArgv: [] });
  child.on('message', (done: WorkDone) => work.push(done));
});
afterEach(async () => {
  child.kill('SIGKILL');
  await service?.stop();
  service = undefined;
  await database.drop();
});

const worksOn = (app: TestApp) => work.some(({ appId }) => appId === app.id);
const runsHere = (app: TestApp) => service?.engine.running(app.id).length === 1;

/** Both processes run their share; the other one runs what this one does not. */
async function share(): Promise<readonly TestApp[]> {
  service = await startTestService(database.url);
  for (const app of apps) await service.merge(configFor(app), app);
  const theirs = () => apps.filter((app) => !runsHere(app));
  await until(() => theirs().length === 2 && theirs().every(worksOn));
  return theirs();
}

test('runs everything in the remaining process after a kill -9, each under a later fence', {
  tags: 'short',
}, async () => {
  const theirs = await share();
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => apps.every(runsHere));
  for (const { id } of theirs) {
    const last = work.filter(({ appId }) => appId === id).at(-1);
    expect(BigInt(service?.engine.running(id)[0]?.run.fence ?? 0)).toBeGreaterThan(BigInt(last?.fence ?? 0));
  }
});

test('does not wait for the leases of a process of the same machine that has ended', async () => {
  const theirs = await share();
  child.kill('SIGKILL');
  await once(child, 'exit');
  await withClient({ connectionString: database.url }, async (client) => {
    await client.query(`update sync.process set expires_at = now() + interval '1 hour' where pid = $1`, [child.pid]);
  });
  await until(() => theirs.every(runsHere));
});

test('stops a paused process from working on integrations that others took over', async () => {
  await share();
  child.kill('SIGSTOP');
  await until(() => apps.every(runsHere));
  const takenAtMs = Date.now();
  const fences = new Set(work.map(({ appId, fence }) => `${appId} ${fence}`));
  child.kill('SIGCONT');
  // It gets its share back, under new fences.
  const returned = () => work.filter(({ atMs }) => atMs > takenAtMs);
  await until(() => new Set(returned().map(({ appId }) => appId)).size === 2);
  expect(returned().filter(({ appId, fence }) => fences.has(`${appId} ${fence}`))).toEqual([]);
});
