import { createCheckout } from '@portal/e2e/checkout';
import { getProcessTree, getTreeUsage } from '@portal/e2e/processes';
import { startCommand } from '@portal/e2e/started-command';
import { isAlive } from '@portal/kit/process-identity';
import { startChild } from './child.ts';
import { count, type Figure, median, printFigures } from './figures.ts';

/**
 * Measures how long a second `npm start` takes until the page is served, and what the idle system
 * uses. The peer of the start is a baseline handler of the same framework, started the same way.
 */
const rounds = Number(process.argv[2] ?? 3);
const idleSeconds = Number(process.argv[3] ?? 60);
const settleSeconds = 20;
const port = 18080;
const origin = `http://127.0.0.1:${port}`;

const checkout = createCheckout();
try {
  const firstMs = await startOnce(() => Promise.resolve());
  const startsMs: number[] = [];
  const peersMs: number[] = [];
  let usage = { memoryMb: 0, processes: 0, cores: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    const baseline = await startChild('./baseline-handler.ts', []);
    peersMs.push(performance.now() - from);
    await baseline.stop();
    startsMs.push(
      await startOnce(async (pid) => {
        if (round === rounds - 1) usage = await watchIdle(pid);
      }),
    );
  }
  const figures: Figure[] = [
    { what: 'first start, page served', ours: seconds(firstMs) },
    {
      what: 'second start, page served',
      ours: seconds(median(startsMs)),
      peer: seconds(median(peersMs)),
      ratio: median(startsMs) / median(peersMs),
      goal: '≤ 5 s',
      met: median(startsMs) <= 5000,
    },
    {
      what: `memory of all ${usage.processes} processes (PSS), idle`,
      ours: `${count(usage.memoryMb)} MB`,
      goal: '< 1,000 MB',
      met: usage.memoryMb < 1000,
    },
    {
      what: `processor over ${idleSeconds} s, idle`,
      ours: `${usage.cores.toFixed(2)} cores`,
      goal: '< 0.5 cores',
      met: usage.cores < 0.5,
    },
  ];
  printFigures(`start: medians of ${rounds} rounds`, figures);
} finally {
  checkout.remove();
}

/**
 * Starts the system, waits until the page is served, runs the given check, and stops it. Returns
 * the milliseconds until the page was served.
 */
async function startOnce(whileRunning: (pid: number) => Promise<void>): Promise<number> {
  const from = performance.now();
  const portal = startCommand(['npm', 'start'], { cwd: checkout.folder, env: { PORT: String(port) } });
  const ended = portal.ended.then((code) =>
    Promise.reject(new Error(`npm start exited with ${code}:\n${portal.output}`)),
  );
  ended.catch(() => undefined);
  await Promise.race([served(), ended]);
  const ms = performance.now() - from;
  await whileRunning(portal.pid);
  const processes = getProcessTree(portal.pid);
  portal.pressCtrlC();
  await portal.ended;
  while (processes.some(isAlive)) await pause(50);
  return ms;
}

async function served(): Promise<void> {
  for (;;) {
    const response = await fetch(origin).catch(() => null);
    if (response?.ok && (await response.text()).includes('<script')) return;
    await pause(10);
  }
}

async function watchIdle(pid: number): Promise<{ memoryMb: number; processes: number; cores: number }> {
  await pause(settleSeconds * 1000);
  const before = getTreeUsage(pid);
  const from = performance.now();
  await pause(idleSeconds * 1000);
  const after = getTreeUsage(pid);
  const cores = (after.cpuSeconds - before.cpuSeconds) / ((performance.now() - from) / 1000);
  return { memoryMb: Math.max(before.memoryMb, after.memoryMb), processes: after.processes, cores };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
