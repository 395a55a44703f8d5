// @module-tag long

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@portal/kit/ports';
import { getProcessIdentity } from '@portal/kit/process-identity';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BundledSystem, createBundledSystem } from './bundled-system.fixture.ts';

interface System {
  readonly process: ChildProcess;
  /** Returns how often the system has printed the text. */
  count(text: string): number;
  readonly ended: Promise<{ code: number | null; output: string }>;
  /**
   * Waits until the portal is available and returns the process ids of the server, the sync service
   * and PostgreSQL.
   */
  waitUntilReady(): Promise<{ server: number; sync: number; postgres: number }>;
}

vi.setConfig({ testTimeout: 120_000 });

let bundle: BundledSystem;
let folder: string;
let stateDir: string;
const running: System[] = [];

beforeAll(async () => {
  bundle = await createBundledSystem();
});
afterAll(() => bundle.remove());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'system-'));
  chmodSync(folder, 0o755);
  stateDir = join(folder, 'state');
  configure('environments: [{ name: Production, baseUrl: "http://127.0.0.1:1" }]');
});

afterEach(async () => {
  for (const { process, ended } of running.splice(0)) {
    process.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

function configure(yaml: string): void {
  writeFileSync(join(folder, 'portal.config.yaml'), `${yaml}\nstateFolder: ${stateDir}\n`);
}

function start(port: number): System {
  const { PORTAL_DATABASE_URL: _, PORTAL_STATE_DIR: __, ...rest } = process.env;
  const env = {
    ...rest,
    PORTAL_CONFIG: join(folder, 'portal.config.yaml'),
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [bundle.program], { cwd: bundle.folder, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const system: System = {
    process: child,
    count: (text) => output.split(text).length - 1,
    ended: once(child, 'close').then(([code]) => ({ code, output })),
    async waitUntilReady() {
      await vi.waitUntil(() => output.includes(`Portal: http://127.0.0.1:${port}\n`) || child.exitCode !== null, {
        timeout: 100_000,
      });
      expect({ exitCode: child.exitCode, output }).toMatchObject({ exitCode: null });
      const postgres = Number(
        readFileSync(join(stateDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
      );
      return { server: findChildProgram(child.pid, 'server'), sync: findChildProgram(child.pid, 'sync'), postgres };
    },
  };
  running.push(system);
  return system;
}

function findChildProgram(parent: number | undefined, workspace: string): number {
  const isProgram = (pid: number) => {
    const stat = readOrEmpty(`/proc/${pid}/stat`);
    const command = readOrEmpty(`/proc/${pid}/cmdline`);
    return (
      stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(parent) &&
      command.includes(`${workspace}/dist/main.mjs`)
    );
  };
  return readdirSync('/proc').map(Number).find(isProgram) ?? Number.NaN;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const noAnswer = /^no answer/;

/** Returns the status and the body of the response, or that there was none. */
async function ask(url: string, headers: Record<string, string> = {}): Promise<string> {
  try {
    const response = await fetch(url, { headers });
    return `${response.status} ${await response.text()}`;
  } catch {
    return 'no answer';
  }
}

const waitUntilExited = (pids: object) =>
  vi.waitUntil(() => Object.values(pids).every((pid) => !getProcessIdentity(pid)), { timeout: 100_000 });

test.runIf(process.platform === 'linux')(
  'stops all parts after kill -9 and starts again, refuses a second instance, and stops on Ctrl-C',
  async () => {
    const port = await findFreePort();
    const first = start(port);
    const parts = await first.waitUntilReady();
    first.process.kill('SIGKILL');
    await waitUntilExited(parts);

    const second = start(port);
    const newParts = await second.waitUntilReady();
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);

    const third = await start(await findFreePort()).ended;
    expect(third).toEqual({
      code: 1,
      output: `The portal is already running here, as process ${second.process.pid}.\n`,
    });

    second.process.kill('SIGINT');
    expect(await second.ended).toMatchObject({ code: 0 });
    await waitUntilExited(newParts);
    expect(readdirSync(stateDir)).not.toContain('lock');
  },
);

test.runIf(process.platform === 'linux')(
  'starts each part again that is killed, while the others keep answering',
  async () => {
    configure(`environments: [{ name: Production, baseUrl: "http://127.0.0.1:1" }]
syncServiceAccounts: [{ name: monitor, token: open-sesame }]`);
    const port = await findFreePort();
    const system = start(port);
    await system.waitUntilReady();
    const { sync: syncPort } = JSON.parse(readFileSync(join(stateDir, 'ports.json'), 'utf8'));
    const [server, syncService] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${syncPort}`];
    // The server forwards this call to the sync service, which looks in the database.
    const findNothing = () =>
      ask(`${server}/sync/api/get/none`, { authorization: `Basic ${btoa('monitor:open-sesame')}` });
    expect(await findNothing()).toMatch(/^404 .*There is no integration for none/);

    const parts = [
      { part: 'sync', name: 'The sync service', others: [`${server}/healthz`], failure: /^502 .*Bad Gateway/ },
      { part: 'server', name: 'The server', others: [`${syncService}/health`], failure: noAnswer },
      {
        part: 'postgres',
        name: 'PostgreSQL',
        others: [`${server}/healthz`, `${syncService}/health`],
        failure: /^503 .*The portal's database is unavailable/,
      },
    ] as const;
    for (const time of [1, 2]) {
      for (const { part, name, others, failure } of parts) {
        const answers: string[] = [];
        const pids = await system.waitUntilReady();
        process.kill(pids[part], 'SIGKILL');
        await vi.waitUntil(
          async () => {
            for (const url of others) expect(await ask(url)).toMatch(/^200/);
            const answer = await findNothing();
            answers.push(answer);
            return system.count(`${name} is running again.`) === time && answer.startsWith('404');
          },
          { timeout: 100_000, interval: 20 },
        );
        const unexpected = answers.filter((answer) => !answer.startsWith('404') && !failure.test(answer));
        expect(unexpected).toEqual([]);
        expect(system.count(`${name} stopped (signal SIGKILL). Starting it again in ${time / 2} s.`)).toBe(1);
      }
    }

    const pids = await system.waitUntilReady();
    process.kill(pids.server, 'SIGKILL');
    await vi.waitUntil(() => system.count('The server stopped (signal SIGKILL)') === 3, { timeout: 100_000 });
    system.process.kill('SIGINT');
    expect(await system.ended).toMatchObject({ code: 0 });
    await waitUntilExited(pids);
  },
);

test.runIf(process.platform === 'linux')(
  "keeps the owner's database address out of the environment of each process, and the state folder private",
  async () => {
    mkdirSync(stateDir);
    chmodSync(stateDir, 0o755);
    const system = start(await findFreePort());
    const parts = await system.waitUntilReady();
    for (const pid of [system.process.pid, ...Object.values(parts)]) {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      expect(environment).toContain('PATH=');
      expect(environment).not.toMatch(/OWNER_URL|portal_owner/);
    }
    expect(readFileSync(`/proc/${parts.server}/environ`, 'utf8')).toContain('PORTAL_DATABASE_URL=');
    // Root lets the account of PostgreSQL pass to its data.
    expect(statSync(stateDir).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o710 : 0o700);
    expect(statSync(join(stateDir, 'encryption-key')).mode & 0o777).toBe(0o600);
  },
);

test('reports a port in use in one sentence', { tags: 'short' }, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  expect(await start(port).ended).toEqual({
    code: 1,
    output: `Port ${port} is in use by another program. To use another port, run PORT=${port + 1} npm start.\n`,
  });
  expect(readdirSync(stateDir)).toEqual([]);
  other.close();
});

test('reports all configuration errors before it starts any part', async () => {
  configure('environments: [{ name: Production, baseUrl: nowhere }]\ncolor: red');
  const { code, output } = await start(await findFreePort()).ended;
  expect(code).toBe(1);
  expect(output.split('\n')).toEqual([
    expect.stringMatching(/^The configuration \(.*\) has 2 errors:$/),
    expect.stringContaining('baseUrl'),
    expect.stringContaining('color'),
    '',
  ]);
  expect(existsSync(stateDir)).toBe(false);
});
