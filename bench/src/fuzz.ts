import { randomInt } from 'node:crypto';
import { type FuzzTarget, fuzz } from '@portal/e2e/fuzz';
import { Secret } from '@portal/kit/secret';
import { deriveSyncToken } from '@portal/platforms/sync-token';
import type { LoopFigures } from './loop-figures.ts';
import { encryptionKey, type System, startSystem } from './system.ts';

/**
 * `npm run fuzz -- [REQUESTS] [SEED]`: sends random requests to the server and the sync service,
 * each in its own process. Fails if a response is wrong, if a service's event loop stands still, or
 * if its memory grows. A first period, which is not judged, warms up the services.
 */
const [requests = 20_000, seed = randomInt(2 ** 30)] = process.argv.slice(2).map(Number);
const periods = 10;
const maxStandstillMs = 50;
const maxGrowthBytes = 32 * 1024 * 1024;
/** A busy machine delays some request at random; a request that takes long does so every time. */
const attempts = 3;

type Figures = Readonly<Record<string, LoopFigures>>;

console.log(`${requests} requests, SEED=${seed}`);
const system = await startSystem({ withSync: true, watchLoops: true });
try {
  const target = await createTarget(system);
  const before = (await runPeriod(target, 0)).figures;
  const faults: string[] = [];
  for (let period = 1; period <= periods; period += 1) {
    let stoodStill: readonly string[] = [];
    let figures: Figures = {};
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      ({ stoodStill, figures } = await runPeriod(target, period));
      if (stoodStill.length === 0) break;
    }
    faults.push(...stoodStill);
    if (period === periods) faults.push(...findGrowth(before, figures));
  }
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await system.stop();
}

/** Throws with the request that got a wrong response. */
async function runPeriod(target: FuzzTarget, period: number) {
  const { statuses, sent } = await fuzz(target, { seed: seed + period, requests: Math.ceil(requests / periods) });
  const figures = await system.readLoops();
  const stoodStill: string[] = [];
  for (const [service, { delayMs, standstillMs, standstillAtMs, memoryBytes }] of Object.entries(figures)) {
    console.log(
      `${period} ${service}: standstill ${standstillMs.toFixed(1)} ms, delay p99 ${delayMs.p99.toFixed(1)} ms, ` +
        `max ${delayMs.max.toFixed(1)} ms, memory ${(memoryBytes / 1e6).toFixed(1)} MB`,
    );
    if (standstillMs <= maxStandstillMs) continue;
    const request = sent.findLast(({ atMs }) => atMs < standstillAtMs)?.description.slice(0, 200);
    stoodStill.push(`The ${service} stood still for ${standstillMs.toFixed(1)} ms, during or after ${request}`);
  }
  const counts = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
  console.log(`${period} responses: ${counts.join(', ')}`);
  return { figures, stoodStill };
}

function findGrowth(before: Figures, after: Figures): string[] {
  return Object.entries(after).flatMap(([service, { memoryBytes }]) => {
    const growth = memoryBytes - (before[service]?.memoryBytes ?? 0);
    return growth > maxGrowthBytes ? [`The memory of the ${service} grew by ${(growth / 1e6).toFixed(1)} MB.`] : [];
  });
}

async function createTarget({ origin, syncUrl, signIn }: System): Promise<FuzzTarget> {
  if (syncUrl === null) throw new Error('the sync service does not run');
  const { cookie, baseUrl, apps } = await signIn();
  const token = deriveSyncToken({ token: undefined, encryptionKey: new Secret(encryptionKey) });
  return {
    serverUrl: origin,
    cookie,
    syncUrl,
    syncToken: token.reveal(),
    known: ['Production', baseUrl, ...apps.map(({ id }) => id)],
  };
}
