import { getAudit } from '@portal/contract/audit';
import { getLastReset, getStats, getStatsContext, resetStats } from '@portal/contract/db-spy';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseProblem, type TestClient } from '../../../testing/test-client.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { type StatisticsWorld, startStatisticsWorld } from '../statistics-world.fixture.ts';

const hostname = 'pg-1.helium.internal';
let world: StatisticsWorld;
let demo: TestClient;

beforeAll(async () => {
  world = await startStatisticsWorld();
  demo = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const lastReset = async (client = demo) => {
  const [found] = await client.call(getLastReset, { dataSource: 'helium-app-1' });
  return found?.lastReset ?? '';
};

describe('statistics reset', () => {
  it("takes a final snapshot, clears the server's statistics, and is audited", async () => {
    await world.helium.app('Clinic Visits').run('Nightly:closeOldVisits');
    const statements = { dataSource: 'helium-app-1', search: 'update visit set status' };
    expect(await demo.call(getStats, statements)).toHaveLength(1);
    const before = await lastReset();

    const response = await demo.call(resetStats, { hostname });
    expect(response).toEqual({ databaseHost: hostname, lastReset: expect.any(String) });
    expect(Date.parse(response.lastReset ?? '')).toBeGreaterThan(Date.parse(before));
    expect(await demo.call(getStats, statements)).toEqual([]);
    expect(await lastReset()).toBe(response.lastReset);

    const { rows } = await world.server.dependencies.pool.query(
      'select data_source, kind, length(numbers) > 100 as full from statement_snapshot',
    );
    expect(rows).toEqual([{ data_source: 'helium-app-1', kind: 'before reset', full: true }]);
    const { entries } = await demo.call(getAudit, { action: 'statistics.reset' });
    expect(entries).toMatchObject([
      {
        username: 'demo',
        resource: hostname,
        outcome: 'done',
        before: { lastReset: before },
        after: { lastReset: response.lastReset },
      },
    ]);
  });

  it('records the time of a reset in the portal if the server does not report it', async () => {
    const [, second] = world.helium.dataSources;
    const { dbName = '', url = '', heliumDataSourceName: dataSource = '', hostname: databaseHost = '' } = second ?? {};
    const admin = pg.escapeIdentifier(new URL(url).username);
    await run(
      world.superuserUrl(dbName),
      'drop extension pg_stat_statements',
      `create extension pg_stat_statements version '1.8'`,
      `grant execute on function pg_stat_statements_reset to ${admin}`,
    );
    expect(await demo.call(getLastReset, { dataSource })).toEqual([{ databaseHost, lastReset: null }]);
    const app = world.helium.app('Stock Room');
    await run(app.url, 'select onhand from item');

    const response = await demo.call(resetStats, { hostname: databaseHost });
    expect(Date.parse(response.lastReset ?? '')).toBeLessThanOrEqual(Date.now());
    expect(await demo.call(getLastReset, { dataSource })).toEqual([response]);
    await run(app.url, 'select onhand from item', 'select onhand from item');
    const rows = await demo.call(getStats, { appId: app.id, range: 'hour', search: 'select onhand' });
    expect(rows).toMatchObject([{ calls: 2 }]);
    const { range } = await demo.call(getStatsContext, { appId: app.id, range: 'hour' });
    expect(range.from).toBe(response.lastReset);
  });

  it('accepts the hostname in the query, the body, or both if they agree', async () => {
    const path = `${resetStats.path}?hostname=${hostname}`;
    expect((await demo.send('POST', path)).status).toBe(200);
    expect((await demo.send('POST', path, JSON.stringify({ hostname }))).status).toBe(200);
    const different = await demo.send('POST', path, JSON.stringify({ hostname: 'pg-2.helium.internal' }));
    expect(different.status).toBe(400);
    expect(parseProblem(different).message).toBe(
      `The query names the server ${hostname}, but the body names pg-2.helium.internal. Send only one of them.`,
    );
    expect((await demo.send('POST', `${path}&hostname=other`)).status).toBe(400);
  });

  it.each(['', '?hostname='])('refuses a reset without a hostname (%j)', async (query) => {
    const before = await lastReset();
    const response = await demo.send('POST', `${resetStats.path}${query}`, '{}');
    expect(response.status).toBe(400);
    expect(parseProblem(response).message).toBe('The hostname is missing. Send the hostname of the server to reset.');
    expect(await lastReset()).toBe(before);
  });

  it('refuses a server that is not configured', async () => {
    for (const unknown of ['localhost', '127.0.0.1', 'pg-9.helium.internal']) {
      const response = await demo.attempt(resetStats, { hostname: unknown });
      expect(response.status).toBe(400);
      expect(parseProblem(response).message).toBe(`There is no data source on ${unknown} in Production.`);
    }
  });
});

describe('refused statistics reset', () => {
  const serve = async (options: { dead?: boolean; role?: 'viewer' | 'admin' }) => {
    const [first] = world.helium.dataSources;
    const dead = { ...first, heliumDataSourceName: 'dead', url: 'postgres://x@127.0.0.1:1/x' };
    const dataSources = options.dead ? [first, dead] : [first];
    const server = await startTestServer({
      environments: [{ name: 'Production', baseUrl: world.baseUrl, dataSources }],
      ...(options.role && { roles: [{ role: options.role, users: 'everyone' as const }] }),
    });
    onTestFinished(() => server.stop());
    return server.signIn('demo', 'demo');
  };

  it("resets nothing if a data source's statistics cannot be saved first", async () => {
    const client = await serve({ dead: true, role: 'admin' });
    const before = await lastReset();
    const response = await client.attempt(resetStats, { hostname });
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toMatch(
      /^Nothing was reset, because the statistics of dead could not be saved\. The data source dead (cannot be reached: connection refused|has not answered since \d\d:\d\d)\.$/,
    );
    expect(await lastReset()).toBe(before);
    const { entries } = await client.call(getAudit, { action: 'statistics.reset' });
    expect(entries).toMatchObject([{ outcome: 'failed', reason: parseProblem(response).message }]);
  });

  it('resets nothing if the apps of a data source cannot be read', async () => {
    const client = await serve({ dead: true });
    const before = await lastReset();
    const response = await client.attempt(resetStats, { hostname });
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toMatch(/^The data source dead /);
    expect(await lastReset()).toBe(before);
    const { entries } = await client.call(getAudit, { action: 'statistics.reset' });
    expect(entries).toMatchObject([{ outcome: 'failed', reason: parseProblem(response).message }]);
  });

  it('refuses users whose role may only view statistics', async () => {
    const client = await serve({ role: 'viewer' });
    const before = await lastReset(client);
    const response = await client.attempt(resetStats, { hostname });
    expect(response.status).toBe(403);
    expect(parseProblem(response).message).toContain(
      'You need the role operator or maintainer or admin to reset statistics in Production',
    );
    expect(await lastReset(client)).toBe(before);
    expect((await client.attempt(getStats, { dataSource: 'helium-app-1' })).status).toBe(200);
  });
});
