import { createServer } from 'node:net';
import { freePort } from '@portal/kit/ports';
import { commandLineOf, isAlive, type ProcessIdentity } from '@portal/kit/process-identity';
import { afterEach, describe, expect, test } from 'vitest';
import { type Checkout, makeCheckout } from './checkout.ts';
import { treeOf } from './processes.ts';
import { type StartedCommand, startCommand } from './started-command.ts';

/** What `npm start` promises, tried on a copy of the project, the way a terminal runs it. */
describe.skipIf(process.platform !== 'linux')('npm start', { timeout: 240_000 }, () => {
  const left: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of left.splice(0).reverse()) await clean();
  });

  function checkout(): Checkout {
    const made = makeCheckout();
    left.push(() => made.remove());
    return made;
  }

  function start(folder: string, env: Record<string, string>): StartedCommand {
    const command = startCommand(['npm', 'start'], { cwd: folder, env });
    const everything = () => treeOf(command.pid);
    left.push(async () => {
      const still = everything();
      command.pressCtrlC();
      await command.ended;
      await allGone(still);
    });
    return command;
  }

  test('serves the portal, and Ctrl-C leaves nothing behind', async () => {
    const { folder } = checkout();
    const port = await freePort();
    const portal = start(folder, { PORT: String(port) });

    await portal.outputMatches(new RegExp(`http://127\\.0\\.0\\.1:${port}`));
    await portal.outputMatches(/user demo, password demo/i);
    const origin = `http://127.0.0.1:${port}`;
    expect(await (await fetch(origin)).text()).toContain('<title>');
    expect(await signIn(origin, 'demo')).toBe(200);
    expect(await signIn(origin, 'wrong')).toBe(401);

    const everything = treeOf(portal.pid);
    expect(everything.some(({ pid }) => commandLineOf(pid).includes('postgres'))).toBe(true);
    portal.pressCtrlC();
    await portal.ended;
    await allGone(everything);
    await expect(fetch(origin)).rejects.toThrow();
  });

  test('ends everything when it is killed, and starts again', async () => {
    const { folder } = checkout();
    const port = await freePort();
    const first = start(folder, { PORT: String(port) });
    await first.outputMatches(new RegExp(`http://127\\.0\\.0\\.1:${port}`));
    const everything = treeOf(first.pid);
    const script = everything.find(({ pid }) => /node \S*scripts\/start\.mjs/.test(commandLineOf(pid)));
    if (!script) throw new Error('the start script is not among what was started');
    process.kill(script.pid, 'SIGKILL');
    await allGone(everything);

    const second = start(folder, { PORT: String(port) });
    await second.outputMatches(new RegExp(`http://127\\.0\\.0\\.1:${port}`));
    expect(await signIn(`http://127.0.0.1:${port}`, 'demo')).toBe(200);
  });

  test('says in one sentence that the port is taken', async () => {
    const { folder } = checkout();
    const holder = createServer();
    left.push(() => holder.close());
    const port = await freePort();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
    const portal = start(folder, { PORT: String(port) });
    expect(await portal.ended).not.toBe(0);
    const told = portal.output.split('\n').filter((line) => line.includes(String(port)));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/in use|taken/);
    expect(portal.output).not.toMatch(/\n\s+at .+:\d+:\d+/);
  });
});

async function signIn(origin: string, password: string): Promise<number> {
  const environments = await (await fetch(`${origin}/portal-backend/api/environments`)).json();
  const { baseUrl } = environments.find(({ name }: { name: string }) => name === 'Production');
  const answer = await fetch(`${origin}/portal-backend/api/apps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ credentials: { userName: 'demo', password }, baseUrl }),
  });
  return answer.status;
}

async function allGone(processes: readonly ProcessIdentity[]): Promise<void> {
  await expect
    .poll(() => processes.filter(isAlive).map(({ pid }) => commandLineOf(pid)), { timeout: 30_000 })
    .toEqual([]);
}
