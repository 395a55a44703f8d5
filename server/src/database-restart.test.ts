import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addEntryPoint, getConfig } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { getSession } from '@portal/contract/session';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from './testing/small-world.ts';
import { parseProblem, type TestClient } from './testing/test-client.ts';

/** Uses its own PostgreSQL, because these tests stop and restart it. */
let dataDir: string;
let postgres: PostgresServer;
let world: SmallWorld;
let client: TestClient;
let appId: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portal-restart-'));
  postgres = await startPostgres({ dataDir, isFast: true });
  world = await startSmallWorld({ databaseUrl: postgres.url });
  appId = world.helium.app('Clinic Visits').id;
  client = await world.server.signIn('demo', 'demo');
});
afterAll(async () => {
  await world.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('PostgreSQL restart', () => {
  it('sessions survive a PostgreSQL restart, and only concurrent requests fail', async () => {
    const calls = Array.from({ length: 20 }, () => client.attempt(getSession, undefined));
    const restarting = postgres.restart();
    const during = await Promise.all(calls);
    await restarting;
    for (const { status } of during) expect([200, 503]).toContain(status);
    expect((await client.attempt(getSession, undefined)).status).toBe(200);
    await client.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    expect((await client.call(getAudit, { resource: appId })).entries).toHaveLength(1);
  });

  it('a change in progress during a PostgreSQL restart is completed, returned and audited', async () => {
    let restarting: Promise<void> | undefined;
    world.network.decide(({ method }) => {
      if (method === 'POST') restarting ??= postgres.restart();
      return 'pass';
    });
    const response = await client.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:open', duration: 20 });
    world.network.reset();
    await restarting;
    expect(response).toMatchObject({ status: 200 });
    expect((await client.call(getConfig, { appId })).processEntryPointTimeouts).toMatchObject({ 'Nightly:open': 20 });
    await expect.poll(async () => (await client.call(getAudit, { search: 'Nightly:open' })).entries.length).toBe(1);
  });
});

describe('PostgreSQL outage', () => {
  it('an outage is reported clearly, changes nothing on the platform, and ends when PostgreSQL is back', async () => {
    await postgres.stop();
    const signedOut = world.server.client();
    const responses = await Promise.all([
      client.attempt(getSession, undefined),
      client.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:never', duration: 5 }),
      signedOut.attempt(getApps, { credentials: { userName: 'demo', password: 'demo' }, baseUrl: world.baseUrl }),
    ]);
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(parseProblem(response)).toMatchObject({
        kind: 'unreachable',
        message: "The portal's database is unavailable. Try again in a moment.",
      });
    }
    const ready = await signedOut.send('GET', '/readyz');
    expect(ready.status).toBe(503);
    expect(JSON.parse(ready.text)).toMatchObject({ ready: false, reasons: [expect.stringContaining('database')] });
    expect((await signedOut.send('GET', '/healthz')).status).toBe(200);

    postgres = await startPostgres({ dataDir, isFast: true, port: postgres.port });
    expect((await signedOut.send('GET', '/readyz')).status).toBe(200);
    const { processEntryPointTimeouts } = await client.call(getConfig, { appId });
    expect(processEntryPointTimeouts).not.toHaveProperty('Nightly:never');
  });
});
