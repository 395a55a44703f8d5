import { createServer, type Server } from 'node:net';
import * as contract from '@portal/contract/schema-access';
import { Unreachable } from '@portal/kit/problems';
import { openHeliumDatabase } from '@portal/platforms/helium-database/database';
import { type GrantAccessPlan, grantAccess } from '@portal/platforms/helium-database/schema-access/grant-access';
import { countKinds } from '@portal/platforms/helium-database/schema-access/schema-state';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { getActions } from './access-actions.ts';
import { addRunning } from './access-grants.store.ts';
import { runRecorded } from './run-recorded.ts';

const { migrateApp, migrateSchema, pingDatabase, getAppSchemas, generateSql, planAccess } = contract;
const { getAccessHistory, revertAccess, getTeamNames } = contract;

let world: SmallWorld;
let silent: Server;
/** Starts a portal on the same platform with additional broken data sources and unusable teams. */
let brokenPortal: TestServer;
let demo: TestClient;
let team: string;
const superuser = 'postgres';

beforeAll(async () => {
  world = await startSmallWorld();
  // Accepts connections and notices when they close, but never responds.
  silent = createServer((socket) => socket.resume().on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const silentPort = typeof address === 'object' ? address?.port : undefined;
  const [first, second] = world.helium.dataSources;
  const changed = (parts: Partial<URL>) => Object.assign(new URL(first.url), parts).href;
  const broken = (heliumDataSourceName: string, url: string) => ({ ...first, heliumDataSourceName, url });
  team = world.helium.teams[0]?.name ?? '';
  brokenPortal = await startTestServer({
    environments: [
      {
        name: 'Production',
        baseUrl: world.baseUrl,
        dataSources: [
          first,
          ...(second ? [second] : []),
          broken('dead', 'postgres://a:b@127.0.0.1:1/x'),
          broken('locked-out', changed({ password: 'hunter2' })),
          broken('silent', `postgres://a:b@127.0.0.1:${silentPort}/x`),
        ],
        teamUsers: [team, 'ghost', superuser],
      },
    ],
    roles: [
      { role: 'maintainer', users: ['demo'] },
      { role: 'viewer', users: ['health.dev'] },
    ],
  });
  demo = await brokenPortal.signIn('demo', 'demo');
});
afterAll(async () => {
  await brokenPortal.stop();
  await new Promise((resolve) => silent.close(resolve));
  await world.stop();
});

const clinicId = () => world.helium.app('Clinic Visits').id;
const clinicSchema = { dataSource: 'helium-app-1', schemaName: 'clinic_visits_001' };

describe('schema access with failing data sources', () => {
  it.each([
    ['dead', 'The data source dead cannot be reached: connection refused.'],
    ['locked-out', 'The data source locked-out rejects the configured user or password.'],
    ['silent', 'The data source silent did not respond in time.'],
  ])('%s: the ping returns the reason', async (dataSource, response) => {
    expect(await demo.call(pingDatabase, { dataSource })).toEqual({ response });
    expect(brokenPortal.logged()).not.toContain('hunter2');
  });

  it('an unreachable data source does not delay a grant for an app in another one', async () => {
    expect((await demo.call(generateSql, { teamUser: team, schemaName: 'clinic_visits_001' })).actions).toContain(
      'COMMIT;',
    );
  });

  it('an unreachable data source is reported if it is requested', async () => {
    for (const dataSource of ['dead', 'locked-out']) {
      expect((await demo.attempt(getAppSchemas, { dataSource })).status).toBe(502);
      const grant = await demo.attempt(migrateSchema, { ...clinicSchema, dataSource, teamUser: team });
      expect(grant.status).toBe(502);
      expect(parseProblem(grant)).toMatchObject({ title: 'Failed to grant access!', kind: 'unreachable' });
    }
  });
});

describe('two data sources with the same schema', () => {
  it('lists the matching data sources in the error, so that the caller can send one of them', async () => {
    const [first] = world.helium.dataSources;
    const twinPortal = await startTestServer({
      environments: [
        {
          name: 'Production',
          baseUrl: world.baseUrl,
          dataSources: [first, { ...first, heliumDataSourceName: 'twin' }],
          teamUsers: [team],
        },
      ],
    });
    const person = await twinPortal.signIn('demo', 'demo');
    const response = await person.attempt(migrateApp, { teamUser: team, appId: clinicId() });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toBe(
      'Several data sources contain the schema clinic_visits_001: helium-app-1, twin. Send the dataSource too.',
    );
    expect((await person.call(planAccess, { teamUser: team, ...clinicSchema, dataSource: 'twin' })).dataSource).toBe(
      'twin',
    );
    await twinPortal.stop();
  });
});

describe('unusable teams', () => {
  it.each([
    ['ghost', 'There is no database user ghost on the server'],
    [superuser, 'postgres cannot receive a schema because it is a superuser.'],
  ])('%s: refused', async (teamUser, words) => {
    const response = await demo.attempt(migrateSchema, { ...clinicSchema, teamUser });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toContain(words);
  });
});

describe('schema access roles', () => {
  it('viewers can view but not grant', async () => {
    const viewer = await brokenPortal.signIn('health.dev', 'health');
    expect(await viewer.call(getTeamNames, undefined)).toContain(team);
    for (const endpoint of [planAccess, migrateApp]) {
      expect((await viewer.attempt(endpoint, { teamUser: team, appId: clinicId() })).status).toBe(403);
    }
  });
});

describe('lock held by the app', () => {
  it('aborts the grant with the reason and its actions, none of which is applied', async () => {
    const holder = new pg.Client(world.helium.app('Clinic Visits').url);
    await holder.connect();
    await holder.query('begin; select * from visit');
    const response = await demo.attempt(migrateSchema, { ...clinicSchema, teamUser: team });
    await holder.end();
    expect(response.status).toBe(409);
    const { message, actions, title } = parseProblem(response);
    expect(title).toBe('Failed to grant access!');
    expect(message).toMatch(
      /is locked and was not released in time: locked by \w+clinic_visits_001 \(idle in transaction since/,
    );
    expect(actions).toContain(`ALTER TABLE clinic_visits_001.visit OWNER TO ${pg.escapeIdentifier(team)};`);
    expect(await demo.call(getAccessHistory, {})).toEqual([]);
  });
});

describe('interrupted grant record', () => {
  /** Grants as the service does, but fails at the given point. */
  async function grantBreaking(at: 'before the commit' | 'after the commit') {
    const database = openHeliumDatabase({ name: 'helium-app-1', url: world.helium.dataSources[0].grantUrl });
    const location = { environment: 'Production', ...clinicSchema };
    const lost = new Unreachable('The connection was cut.');
    try {
      return await runRecorded<GrantAccessPlan>(
        brokenPortal.dependencies,
        { database, location },
        {
          state: 'running',
          write: ({ xid, plan }) =>
            addRunning(brokenPortal.dependencies.pool, {
              ...location,
              xid,
              team,
              before: plan.before,
              appRole: plan.before.appRole,
              previousOwner: plan.before.owner,
              actions: getActions(plan),
              counts: countKinds(plan.objects),
              appId: clinicId(),
              appName: 'Clinic Visits',
              grantedBy: 'demo',
              reason: null,
            }),
          async run(beforeCommit) {
            const { schemaName } = location;
            await grantAccess(database, {
              schemaName,
              team,
              teams: [team],
              mode: 'run',
              async beforeCommit(committed) {
                await beforeCommit(committed);
                if (at === 'before the commit') throw lost;
              },
            });
            throw lost;
          },
        },
      );
    } finally {
      await database.close();
    }
  }

  it('a failure before the commit grants nothing and leaves no record', async () => {
    await expect(grantBreaking('before the commit')).rejects.toThrow('The connection was cut.');
    expect(await demo.call(getAccessHistory, {})).toEqual([]);
  });

  it('a failure after the commit counts as granted and is reported as such', async () => {
    const { id = '' } = await grantBreaking('after the commit');
    expect(await demo.call(getAccessHistory, {})).toMatchObject([{ id, state: 'granted', team }]);
    await demo.call(revertAccess, { grantId: id });
  });

  it('a crash right after the commit is settled when the history is read', async () => {
    const { grantId = '' } = await demo.call(migrateSchema, { ...clinicSchema, teamUser: team });
    const { pool } = brokenPortal.dependencies;
    await pool.query(`UPDATE access_grants SET state = 'running' WHERE id = $1`, [grantId]);
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'granted' });
    await demo.call(revertAccess, { grantId });
    await pool.query(`UPDATE access_grants SET state = 'reverting' WHERE id = $1`, [grantId]);
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'reverted' });
  });

  it("a transaction unknown to the data source is settled by the schema's owner", async () => {
    const { grantId = '' } = await demo.call(migrateSchema, { ...clinicSchema, teamUser: team });
    const { pool } = brokenPortal.dependencies;
    const forget = (state: string) =>
      pool.query(`UPDATE access_grants SET state = $2, xid = '18446744073709551000' WHERE id = $1`, [grantId, state]);
    await forget('running');
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'granted' });
    await forget('reverting');
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'granted', endedAt: null });
    await demo.call(revertAccess, { grantId });
  });
});
