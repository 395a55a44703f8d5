// @module-tag long

import { createServer } from 'node:net';
import { getApps } from '@portal/contract/apps';
import { getEnvironments } from '@portal/contract/environments';
import { getRefusals } from '@portal/contract/session';
import { findFreePort } from '@portal/kit/ports';
import { getCommandLine, isAlive, type ProcessIdentity } from '@portal/kit/process-identity';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Checkout, createCheckout } from './checkout.ts';
import { getProcessTree } from './processes.ts';
import { type StartedCommand, startCommand } from './started-command.ts';

/** The behavior of `npm start`, tested on a copy of the project as run from a terminal. */
describe.skipIf(process.platform !== 'linux')('npm start', { timeout: 240_000 }, () => {
  let checkout: Checkout;
  let port: number;
  let running: StartedCommand[] = [];
  beforeAll(async () => {
    checkout = createCheckout();
    port = await findFreePort();
  });
  afterEach(async () => {
    for (const command of running) {
      const processes = getProcessTree(command.pid);
      command.pressCtrlC();
      await command.ended;
      await waitUntilExited(processes);
    }
    running = [];
  });
  afterAll(() => checkout.remove());

  function start(): StartedCommand {
    const command = startCommand(['npm', 'start'], { cwd: checkout.folder, env: { PORT: String(port) } });
    running.push(command);
    return command;
  }
  const address = () => `http://127.0.0.1:${port}`;

  test('serves the portal, prints how to sign in, and Ctrl-C stops all of it', { tags: 'short' }, async () => {
    const portal = start();
    await portal.outputMatches(new RegExp(address()));
    await portal.outputMatches(/user demo, password demo/i);
    expect(await (await fetch(address())).text()).toContain('<title>');
    expect((await signIn(address(), 'demo', 'demo')).status).toBe(200);
    expect((await signIn(address(), 'demo', 'wrong')).status).toBe(401);

    // The users of the README see what the platform shows them, and may change what it lets them.
    const demo = await listRights(address(), 'demo', 'demo');
    const health = await listRights(address(), 'health.dev', 'health');
    const farm = await listRights(address(), 'farm.dev', 'farm');
    const support = await listRights(address(), 'support', 'support');
    expect(Object.keys({ ...health, ...farm }).toSorted()).toEqual(Object.keys(demo).toSorted());
    expect(Object.keys(health).filter((name) => name in farm)).toEqual([]);
    for (const refused of Object.values({ ...demo, ...health, ...farm })) expect(refused).toEqual([]);
    expect(Object.keys(support)).toEqual(Object.keys(demo));
    for (const refused of Object.values(support)) {
      expect(refused).toEqual([
        'config.change',
        'functions.toggle',
        'schema-access.grant',
        'sync.change',
        'sync.reveal',
      ]);
    }

    const processes = getProcessTree(portal.pid);
    expect(processes.some(({ pid }) => getCommandLine(pid).includes('postgres'))).toBe(true);
    portal.pressCtrlC();
    expect(await portal.ended).toBe(0);
    await waitUntilExited(processes);
    await expect(fetch(address())).rejects.toThrow();
  });

  test('stops all processes when it is killed, and starts again', async () => {
    const first = start();
    await first.outputMatches(new RegExp(address()));
    const processes = getProcessTree(first.pid);
    const script = processes.find(({ pid }) => /node \S*scripts\/start\.mjs/.test(getCommandLine(pid)));
    if (!script) throw new Error('the start script is not among what was started');
    process.kill(script.pid, 'SIGKILL');
    await waitUntilExited(processes);

    await start().outputMatches(new RegExp(address()));
    expect((await signIn(address(), 'demo', 'demo')).status).toBe(200);
  });

  test('reports a port in use in one sentence', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
    const portal = start();
    expect(await portal.ended).not.toBe(0);
    holder.close();
    const outputs = portal.output.split('\n').filter((line) => line.includes(String(port)));
    expect(outputs).toHaveLength(1);
    expect(outputs[0]).toMatch(/in use|taken/);
    expect(portal.output).not.toMatch(/\n\s+at .+:\d+:\d+/);
  });
});

async function signIn(origin: string, userName: string, password: string): Promise<Response> {
  const environments = getEnvironments.response.parse(await (await fetch(origin + getEnvironments.path)).json());
  const baseUrl = environments.find(({ name }) => name === 'Production')?.baseUrl;
  return post(origin + getApps.path, { credentials: { userName, password }, baseUrl }, { origin });
}

/** Returns the actions that are refused to the user for each app, by the name of the app. */
async function listRights(origin: string, userName: string, password: string): Promise<Record<string, string[]>> {
  const response = await signIn(origin, userName, password);
  const apps = getApps.response.parse(await response.json());
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const asked = await post(
    origin + getRefusals.path,
    { subjects: apps.map(({ id }) => ({ appIds: [id] })) },
    { origin, cookie },
  );
  const refusals = getRefusals.response.parse(await asked.json());
  return Object.fromEntries(apps.map(({ name }, index) => [name, Object.keys(refusals[index] ?? {}).toSorted()]));
}

function post(url: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function waitUntilExited(processes: readonly ProcessIdentity[]): Promise<void> {
  await expect.poll(() => processes.filter(isAlive).map(({ pid }) => getCommandLine(pid))).toEqual([]);
}
