import { randomInt } from 'node:crypto';
import { type FuzzTarget, fuzz } from '@portal/e2e/fuzz';
import { Secret } from '@portal/kit/secret';
import { deriveSyncToken } from '@portal/platforms/sync-token';
import type { LoopFigures } from './loop-figures.ts';
import { encryptionKey, type System, startSystem } from './system.ts';

/**
 * `npm run fuzz -- [REQUESTS] [SEED]`: sends random requests to the server and the sync service,
 * each in its own process. Fails if a response is wrong, if a service's event loop stands still, or
 * if its memory grows. A period without that follows a first one, which warms up the services.
 */
const [requests = 20_000, seed = randomInt(2 ** 30)] = process.argv.slice(2).map(Number);
const periods = 10;
const maxStandstillMs = 50;
const maxGrowthBytes = 32 * 1024 * 1024;

console.log(`${requests} requests, SEED=${seed}`);
const system = await startSystem({ withSync: true, watchLoops: true });
try {
  const target = await createTarget(system);
  const faults: string[] = [];
  let before: Readonly<Record<string, LoopFigures>> | undefined;
  for (let period = 0; period <= periods; period += 1) {
    const { statuses, sent } = await fuzz(target, { seed: seed + period, requests: Math.ceil(requests / periods) });
    const figures = await system.readLoops();
    before ??= figures;
    for (const [service, { delayMs, standstillMs, standstillAtMs, memoryBytes }] of Object.entries(figures)) {
      console.log(
        `${period} ${service}: standstill ${standstillMs.toFixed(1)} ms, delay p99 ${delayMs.p99.toFixed(1)} ms, ` +
          `max ${delayMs.max.toFixed(1)} ms, memory ${(memoryBytes / 1e6).toFixed(1)} MB`,
      );
      if (period > 0 && standstillMs > maxStandstillMs)
        faults.push(
          `The ${service} stood still for ${standstillMs.toFixed(1)} ms in period ${period}, during or after ` +
            `${sent.findLast(({ atMs }) => atMs < standstillAtMs)?.description.slice(0, 200)}`,
        );
      const growth = memoryBytes - (before[service]?.memoryBytes ?? 0);
      if (period === periods && growth > maxGrowthBytes)
        faults.push(`The memory of the ${service} grew by ${(growth / 1e6).toFixed(1)} MB.`);
    }
    console.log(
      `${period} responses: ${[...statuses]
        .sort()
        .map(([status, count]) => `${status}: ${count}`)
        .join(', ')}`,
    );
  }
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await system.stop();
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
