/**
 * The portal whose own database and data sources are behind pgbouncer, with its default settings.
 */
import { getAudit } from '@portal/contract/audit';
import { getAccessHistory, getTeamNames, migrateApp, planAccess, revertAccess } from '@portal/contract/schema-access';
import { getSession } from '@portal/contract/session';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '@portal/kit/postgres/pgbouncer.fixture';
import { createTestDatabase, getTestPostgresUrl, type TestDatabase } from '@portal/kit/postgres/test-database';
import { type HeliumSimulator, startHeliumSimulator } from '@portal/simulators/helium/simulator';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestClient } from './testing/test-client.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

describe.skipIf(!hasPgbouncer)('the portal behind pgbouncer', () => {
  let helium: HeliumSimulator;
  let database: TestDatabase;
  let pgbouncer: Pgbouncer;
  let server: TestServer;
  let demo: TestClient;

  beforeAll(async () => {
    const namespace = `p${process.pid}_${Date.now().toString(36)}`;
    const postgres = { url: getTestPostgresUrl() };
    helium = await startHeliumSimulator({ definition: smallEnvironment, postgres, namespace, live: false });
    database = await createTestDatabase();
    pgbouncer = await startPgbouncer(database.url, ...helium.dataSources.map(({ url }) => url));
    const { name, timeZone } = smallEnvironment;
    const dataSources = helium.dataSources.map((one) => ({ ...one, url: pgbouncer.toPooled(one.url) }));
    const teamUsers = helium.teams.map((team) => team.name);
    server = await startTestServer({
      environments: [{ name, timeZone, baseUrl: helium.baseUrl, dataSources, teamUsers }],
      databaseUrl: pgbouncer.toPooled(database.url),
    });
    demo = await server.signIn('demo', 'demo');
  });
  afterAll(async () => {
    await server.stop();
    await pgbouncer.stop();
    await database.drop();
    await helium.stop({ dropDatabases: true });
  });

  it('signs users in, and recognizes their sessions', async () => {
    expect(await demo.call(getSession, undefined)).toMatchObject({ username: 'demo' });
    const others = await Promise.all(Array.from({ length: 6 }, () => server.signIn('demo', 'demo')));
    for (const other of others) expect(await other.call(getSession, undefined)).toMatchObject({ username: 'demo' });
  });

  it('plans, grants and reverts access to a schema, and audits it', async () => {
    const [team = ''] = await demo.call(getTeamNames, undefined);
    const { id: appId } = helium.app('Clinic Visits');
    const plan = await demo.call(planAccess, { teamUser: team, appId });
    expect(plan.actions.length).toBeGreaterThan(0);
    await demo.call(migrateApp, { teamUser: team, appId });
    const [granted] = await demo.call(getAccessHistory, {});
    expect(granted).toMatchObject({ state: 'granted' });
    await demo.call(revertAccess, { grantId: granted?.id ?? '' });
    const [reverted] = await demo.call(getAccessHistory, {});
    expect(reverted?.state).not.toBe('granted');
    const { entries } = await demo.call(getAudit, {});
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['schema-access.grant']));
  });
});
