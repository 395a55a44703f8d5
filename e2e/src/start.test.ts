import { createServer } from 'node:net';
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

  test('serves the portal, prints how to sign in, and Ctrl-C stops all of it', async () => {
    const portal = start();
    await portal.outputMatches(new RegExp(address()));
    await portal.outputMatches(/user demo, password demo/i);
    expect(await (await fetch(address())).text()).toContain('<title>');
    expect(await signIn(address(), 'demo')).toBe(200);
    expect(await signIn(address(), 'wrong')).toBe(401);

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
    expect(await signIn(address(), 'demo')).toBe(200);
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

async function signIn(origin: string, password: string): Promise<number> {
  const environments = await (await fetch(`${origin}/portal-backend/api/environments`)).json();
  const { baseUrl } = environments.find(({ name }: { name: string }) => name === 'Production');
  const response = await fetch(`${origin}/portal-backend/api/apps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ credentials: { userName: 'demo', password }, baseUrl }),
  });
  return response.status;
}

async function waitUntilExited(processes: readonly ProcessIdentity[]): Promise<void> {
  await expect
    .poll(() => processes.filter(isAlive).map(({ pid }) => getCommandLine(pid)), { timeout: 30_000 })
    .toEqual([]);
}
