import { getAudit, getRecentChanges } from '@portal/contract/audit';
import { getSchedules } from '@portal/contract/deployments';
import { getSession } from '@portal/contract/session';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem } from '../testing/test-client.ts';
import type { PortalPools } from './portal-pools.ts';

let world: SmallWorld;

beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(() => world.stop());

/** Takes all connections of a pool until the test is finished. */
async function occupy(name: Exclude<keyof PortalPools, 'stop'>): Promise<void> {
  const pool = world.server.dependencies.pools[name];
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const client of clients) void client.query('select pg_sleep(600)').catch(() => undefined);
  onTestFinished(() => {
    for (const client of clients) client.release(true);
  });
}

/** Takes slots of heavy work until the returned function is called. */
function occupyHeavyWork(username: string, count: number): () => Promise<void> {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const user = { username, environment: { name: 'Production' } };
  const { heavyWork } = world.server.dependencies;
  const work = Array.from({ length: count }, () => heavyWork.run(user, () => finished));
  return async () => {
    finish();
    await Promise.all(work);
  };
}

describe('connections of the portal', () => {
  it('sign-in, sessions and readiness work while all other connections are in use', async () => {
    const signedIn = await world.server.signIn('demo', 'demo');
    await occupy('light');
    await occupy('heavy');
    expect((await signedIn.attempt(getSession, undefined)).status).toBe(200);
    expect((await signedIn.send('GET', '/readyz')).status).toBe(200);
    const another = await world.server.signIn('health.dev', 'health');
    expect(await another.call(getSession, undefined)).toMatchObject({ username: 'health.dev' });
  });

  it('reports that all connections are in use as busy, not as an outage', async () => {
    const client = await world.server.signIn('demo', 'demo');
    await occupy('light');
    const { light } = world.server.dependencies.pools;
    const { connectionTimeoutMillis } = light.options;
    light.options.connectionTimeoutMillis = 50;
    onTestFinished(() => {
      light.options.connectionTimeoutMillis = connectionTimeoutMillis;
    });
    const response = await client.attempt(getRecentChanges, undefined);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(parseProblem(response)).toMatchObject({
      kind: 'busy',
      message: 'The portal is busy. Try again in a few seconds.',
    });
  });
});

describe('heavy work', () => {
  it('delays neither light requests nor the heavy work of others', async () => {
    const client = await world.server.signIn('demo', 'demo');
    const finish = occupyHeavyWork('health.dev', 8);
    expect(await client.call(getRecentChanges, undefined)).toEqual([]);
    expect(await client.call(getSchedules, { limit: 10 })).toEqual([]);
    expect((await client.call(getAudit, {})).entries.length).toBeGreaterThan(0);
    await finish();
  });

  it('is refused as busy if the user has too much of it waiting', async () => {
    const client = await world.server.signIn('demo', 'demo');
    const finish = occupyHeavyWork('demo', 8);
    const response = await client.attempt(getAudit, {});
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(parseProblem(response).kind).toBe('busy');
    await finish();
    expect((await client.attempt(getAudit, {})).status).toBe(200);
  });

  it('an audit search has at most ten words', async () => {
    const client = await world.server.signIn('demo', 'demo');
    const words = (count: number) => Array.from({ length: count }, () => 'e').join(' ');
    expect((await client.attempt(getAudit, { search: words(10) })).status).toBe(200);
    expect(parseProblem(await client.attempt(getAudit, { search: words(11) })).fields).toEqual({
      search: 'must be at most 10 words',
    });
  });
});
