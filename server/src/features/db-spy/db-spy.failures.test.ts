import { createServer, type Server } from 'node:net';
import { getLastReset, getStats, getStatsContext } from '@portal/contract/db-spy';
import { createTestDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let world: SmallWorld;
let server: TestServer;
let demo: TestClient;
/** A database without the extension. */
let withoutExtension: TestDatabase;
/** A server that accepts connections and never responds. */
let silent: Server;

const title = 'Error getting stats!';

beforeAll(async () => {
  world = await startSmallWorld();
  withoutExtension = await createTestDatabase();
  silent = createServer(() => undefined);
  const port = await new Promise<number>((resolve) =>
    silent.listen(0, '127.0.0.1', () => {
      const address = silent.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    }),
  );
  const [first] = world.helium.dataSources;
  const wrongPassword = Object.assign(new URL(first.url), { password: 'hunter2' }).href;
  const source = (heliumDataSourceName: string, url: string) => ({
    heliumDataSourceName,
    hostname: `${heliumDataSourceName}.example.com`,
    dbName: 'helium',
    url,
  });
  server = await startTestServer({
    environments: [
      {
        name: 'Production',
        baseUrl: world.baseUrl,
        dataSources: [
          source('alive', first.url),
          source('dead', 'postgres://x@127.0.0.1:1/x'),
          source('silent', `postgres://x@127.0.0.1:${port}/x`),
          source('refusing', wrongPassword),
          source('bare', withoutExtension.url),
        ],
      },
    ],
  });
  demo = await server.signIn('demo', 'demo');
});
afterAll(async () => {
  await server.stop();
  silent.close();
  await withoutExtension.drop();
  await world.stop();
});

describe('statistics of a failing server', () => {
  it('report a server that is down', async () => {
    const response = await demo.attempt(getStats, { dataSource: 'dead' });
    expect(response.status).toBe(502);
    expect(parseProblem(response)).toMatchObject({
      title,
      message: 'The data source dead cannot be reached: connection refused.',
    });
  });

  it('report a refused password without revealing it', async () => {
    const response = await demo.attempt(getStats, { dataSource: 'refusing' });
    expect(response.status).toBe(502);
    expect(parseProblem(response)).toMatchObject({
      title,
      message: 'The data source refusing rejects the configured user or password.',
    });
    expect(response.text + server.logged()).not.toContain('hunter2');
  });

  it('report a missing extension with the command that installs it, also in the context', async () => {
    const response = await demo.attempt(getStats, { dataSource: 'bare' });
    expect(response.status).toBe(404);
    expect(parseProblem(response)).toMatchObject({
      title,
      message:
        'No postgres statement stats found on bare.example.com/helium. The extension pg_stat_statements is not installed in bare. To fix it: CREATE EXTENSION pg_stat_statements;',
    });
    expect(await demo.call(getStatsContext, { dataSource: 'bare', range: 'day' })).toMatchObject({
      extensionVersion: null,
      columns: [],
      missing: [{ kind: 'extension', remedy: 'CREATE EXTENSION pg_stat_statements;' }],
    });
  });

  it('time out on a silent server without delaying others', async () => {
    const waiting = demo.attempt(getStats, { dataSource: 'silent' });
    expect((await demo.attempt(getStats, { dataSource: 'alive' })).status).toBe(200);
    const response = await waiting;
    expect(response.status).toBe(504);
    expect(parseProblem(response)).toMatchObject({ title, message: 'The data source silent did not respond in time.' });
    expect(await demo.call(getLastReset, {})).toMatchObject([
      { databaseHost: 'alive.example.com', lastReset: expect.any(String) },
      { databaseHost: 'dead.example.com', lastReset: null, problem: expect.stringContaining('has not answered since') },
      {
        databaseHost: 'silent.example.com',
        lastReset: null,
        problem: expect.stringContaining('has not answered since'),
      },
      { databaseHost: 'refusing.example.com', lastReset: null, problem: expect.stringContaining('password') },
      { databaseHost: 'bare.example.com', lastReset: null, problem: expect.stringContaining('CREATE EXTENSION') },
    ]);
  });
});
