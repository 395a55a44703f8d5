import { createServer } from 'node:net';
import { findFreePort } from '@portal/kit/ports';
import { getCommandLine, isAlive, type ProcessIdentity } from '@portal/kit/process-identity';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Checkout, createCheckout } from './checkout.ts';
import { getProcessTree } from './processes.ts';
import { type StartedCommand, startCommand } from './started-command.ts';

/** What `npm start` promises, tried on a copy of the project, the way a terminal runs it. */
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
      const everything = getProcessTree(command.pid);
      command.pressCtrlC();
      await command.ended;
      await allGone(everything);
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

  test('serves the portal, says how to sign in, and Ctrl-C leaves nothing behind', async () => {
    const portal = start();
    await portal.outputMatches(new RegExp(address()));
    await portal.outputMatches(/user demo, password demo/i);
    expect(await (await fetch(address())).text()).toContain('<title>');
    expect(await signIn(address(), 'demo')).toBe(200);
    expect(await signIn(address(), 'wrong')).toBe(401);

    const everything = getProcessTree(portal.pid);
    expect(everything.some(({ pid }) => getCommandLine(pid).includes('postgres'))).toBe(true);
    portal.pressCtrlC();
    expect(await portal.ended).toBe(0);
    await allGone(everything);
    await expect(fetch(address())).rejects.toThrow();
  });

  test('takes everything along when it is killed, and starts again', async () => {
    const first = start();
    await first.outputMatches(new RegExp(address()));
    const everything = getProcessTree(first.pid);
    const script = everything.find(({ pid }) => /node \S*scripts\/start\.mjs/.test(getCommandLine(pid)));
    if (!script) throw new Error('the start script is not among what was started');
    process.kill(script.pid, 'SIGKILL');
    await allGone(everything);

    await start().outputMatches(new RegExp(address()));
    expect(await signIn(address(), 'demo')).toBe(200);
  });

  test('says in one sentence that the port is taken', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
    const portal = start();
    expect(await portal.ended).not.toBe(0);
    holder.close();
    const told = portal.output.split('\n').filter((line) => line.includes(String(port)));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/in use|taken/);
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

async function allGone(processes: readonly ProcessIdentity[]): Promise<void> {
  await expect
    .poll(() => processes.filter(isAlive).map(({ pid }) => getCommandLine(pid)), { timeout: 30_000 })
    .toEqual([]);
}
