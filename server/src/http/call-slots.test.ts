import { Readable } from 'node:stream';
import { withBase } from '@portal/contract/sync/base';
import { getConflictFile } from '@portal/contract/sync/conflicts';
import { getDrift } from '@portal/contract/sync/drift';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedSyncService, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem } from '../testing/test-client.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
let appId: string;
/** Ends the calls of demo that the sync service holds. */
let release: () => void;
let held: number;
let maxHeld: number;

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld({ sync: service.sync, freshness: { appsMs: 600_000, rightsMs: 600_000 } });
  appId = world.helium.app('Clinic Visits').id;
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});

beforeEach(() => {
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  [held, maxHeld] = [0, 0];
  const hold = async (user: unknown) => {
    if (user !== 'demo') return;
    held += 1;
    maxHeld = Math.max(held, maxHeld);
    await released;
    held -= 1;
  };
  service.script(`GET /api/drift/${appId}`, async ({ headers }) => {
    await hold(headers['x-portal-user']);
    return [];
  });
  // The response has begun, but is not complete.
  service.script(`GET /api/conflict-file/${appId}`, ({ headers }, reply) => {
    const readFile = async function* () {
      yield 'ab';
      await hold(headers['x-portal-user']);
      yield 'cd';
    };
    return reply.headers({ 'x-file-name': 'a.txt', 'content-length': 4 }).send(Readable.from(readFile()));
  });
});

describe('calls at the same time', () => {
  it.each([
    { name: 'light', endpoint: getDrift, query: '', maxRunning: 50, maxWaiting: 200, words: 'too many requests' },
    {
      name: 'heavy',
      endpoint: getConflictFile,
      query: '?no=1',
      maxRunning: 2,
      maxWaiting: 6,
      words: 'too many large requests',
    },
  ])('$maxRunning $name calls of a user run, $maxWaiting wait, and another one is refused', async (limit) => {
    const demo = await world.server.signIn('demo', 'demo');
    const colleague = await world.server.signIn('health.dev', 'health');
    const path = withBase('/sync/api/', limit.endpoint).path.replace(':appId', appId) + limit.query;
    const calls = Array.from({ length: limit.maxRunning + limit.maxWaiting + 1 }, () => demo.send('GET', path));
    const refused = await Promise.race(calls);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(parseProblem(refused)).toMatchObject({ kind: 'busy', message: expect.stringContaining(limit.words) });
    await expect.poll(() => held).toBe(limit.maxRunning);
    expect((await colleague.send('GET', path)).status).toBe(200);

    release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(calls.length - 1);
    expect(maxHeld).toBe(limit.maxRunning);
  });
});
