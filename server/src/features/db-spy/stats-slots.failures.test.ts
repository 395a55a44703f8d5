import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { getStats } from '@portal/contract/db-spy';
import { type ByteRelay, startByteRelay } from '@portal/kit/byte-relay.fixture';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const dayMs = 24 * 3_600_000;

let world: SmallWorld;
let server: TestServer;
/** The way to the first data source. */
let relay: ByteRelay;

beforeAll(async () => {
  world = await startSmallWorld();
  const [first, ...others] = world.helium.dataSources;
  const url = new URL(first.url);
  relay = await startByteRelay(Number(url.port));
  url.port = `${relay.port}`;
  server = await startTestServer({
    environments: [
      { name: 'Production', baseUrl: world.baseUrl, dataSources: [{ ...first, url: url.href }, ...others] },
    ],
    // A stalled data source must stay in use for the whole test.
    times: {
      dataSources: { connectTimeoutMs: dayMs, statementTimeoutMs: dayMs, reachability: { suspiciousMs: dayMs } },
    },
  });
});
afterAll(async () => {
  await server.stop();
  await relay.stop();
  await world.stop();
});

it('refuses statistics as busy if a user waits for too many, and continues when the page is closed', async () => {
  const [stalled = '', alive = ''] = world.helium.dataSources.map((source) => source.heliumDataSourceName);
  const demo = await server.signIn('demo', 'demo');
  const colleague = await server.signIn('health.dev', 'health');
  relay.stall();
  // One runs, six wait, and one is refused.
  const pages = Array.from({ length: 8 }, () => {
    const headers = { ...demo.cookieHeaders, 'content-type': 'application/json' };
    const call = request(server.url + getStats.path, { method: getStats.method, headers, agent: false });
    call.on('error', () => undefined);
    call.end(JSON.stringify({ dataSource: stalled }));
    return call;
  });
  const responses = pages.map(async (page): Promise<IncomingMessage> => (await once(page, 'response'))[0]);
  for (const response of responses) response.catch(() => undefined);
  const refused = await Promise.race(responses);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('5');
  expect(await json(refused)).toMatchObject({ kind: 'busy', title: 'Error getting stats!' });
  expect((await colleague.attempt(getStats, { dataSource: alive })).status).toBe(200);

  for (const page of pages) page.destroy();
  relay.resume();
  expect((await demo.attempt(getStats, { dataSource: stalled })).status).toBe(200);
});
