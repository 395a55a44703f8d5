import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
let database: TestDatabase;
let configFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-main-'));
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
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [], {
    cwd: folder,
    execArgv: ['--import', import.meta.resolve('tsx')],
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

describe('the server as a process', () => {
  it('says where it serves, and ends in order', async () => {
    const { child, report, exited } = await start({});
    expect(report.type).toBe('ready');
    const ready = await fetch(`${report.address}/readyz`);
    expect(ready.status).toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('ends when the process that started it is gone', async () => {
    const { child, exited } = await start({});
    child.disconnect();
    expect(await exited).toEqual([0, null]);
  });

  it('says in one sentence why it cannot start', async () => {
    const first = await start({});
    const port = new URL(first.report.address ?? '').port;
    const failures: [Record<string, string>, string][] = [
      [{ PORT: port }, `Port ${port} is taken by another program. Set PORT to another one.`],
      [{ PORT: '70000' }, 'PORT is 70000, which is not a port. Set it to a number up to 65535.'],
      [
        { PORTAL_DATABASE_URL: 'postgres://127.0.0.1:1/portal' },
        "The portal's database cannot be reached: connect ECONNREFUSED 127.0.0.1:1.",
      ],
      [
        { PORTAL_CONFIG: '/nowhere.yaml' },
        'The configuration (/nowhere.yaml) has a mistake:\n  there is no file /nowhere.yaml',
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
});
