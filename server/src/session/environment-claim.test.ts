import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { getSyncSocketPaths, syncBases } from '@portal/contract/sync/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type ListingPlatform, startListingPlatform } from '../testing/listing-platform.ts';
import { createConfig, createIntegration, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { parseProblem } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const app = { id: randomUUID(), name: 'Clinic Visits', schemaName: 'clinic' };
/** Staging and Testing share a base. */
const names = ['Production', 'Zambia-production', 'Staging', 'Testing'];
const passwords = { everywhere: 'same', demo: 'right' };

let platforms: ListingPlatform[];
let server: TestServer;
let stopAll: () => Promise<void>;

beforeAll(async () => {
  platforms = await Promise.all(names.map(() => startListingPlatform(passwords, [app])));
  const service = await startScriptedSyncService();
  service.script(`GET /api/get/${app.id}`, () => ({
    ...createIntegration(app),
    config: createConfig(app, 'secret'),
  }));
  server = await startTestServer({
    environments: platforms.map(({ baseUrl }, at) => ({ name: names[at] ?? '', baseUrl })),
    sync: service.sync,
  });
  stopAll = async () => {
    await server.stop();
    await service.stop();
    for (const platform of platforms) await platform.stop();
  };
});
afterAll(() => stopAll());
beforeEach(() => {
  const testing = platforms[3];
  testing?.passwords.set('demo', 'other');
});

const get = (base: string, user: string, query = '') =>
  server.client().send('GET', `${base}get/${app.id}${query}`, undefined, { authorization: `Basic ${btoa(user)}` });

describe.each(syncBases)('HTTP Basic at %s', (base) => {
  it('signs in to the environment that the base names or that accepts the password, and refuses a wrong one', async () => {
    expect((await get(base, 'demo:right')).status).toBe(200);
    expect((await get(base, 'demo:wrong')).status).toBe(401);
    expect((await get(base, 'demo:right')).status).toBe(200);
  });

  it.each(getSyncSocketPaths(base))('opens the socket %s with the right password only', async (path) => {
    const open = async (user: string) => {
      const headers = { authorization: `Basic ${btoa(user)}` };
      const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers });
      const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode);
      const status = await Promise.race([once(socket, 'open').then(() => 101), refused]);
      socket.on('error', () => undefined);
      socket.terminate();
      return status;
    };
    expect([await open('demo:right'), await open('demo:wrong')]).toEqual([101, 401]);
  });
});

describe('HTTP Basic at a base of several environments', () => {
  const base = '/sync-stb/api/';

  it('finds the other environment by its password', async () => {
    expect((await get(base, 'demo:other')).status).toBe(200);
  });

  it('asks which environment is meant if several accept the password', async () => {
    const response = await get(base, 'everywhere:same');
    expect([response.status, parseProblem(response).message]).toEqual([
      400,
      'Staging and Testing accept this password. Name the environment that you mean: ?environment=…',
    ]);
    expect((await get(base, 'everywhere:same', '?environment=Testing')).status).toBe(200);
  });

  it('needs no other environment once one accepted the password, and reports an outage if none did', async () => {
    const testing = platforms[3];
    if (!testing) throw new Error('a platform is missing');
    expect((await get(base, 'demo:right')).status).toBe(200);
    testing.failure = 503;
    expect((await get(base, 'demo:right')).status).toBe(200);
    expect((await get(base, 'demo:unknown')).status).toBe(502);
    testing.failure = undefined;
  });
});
