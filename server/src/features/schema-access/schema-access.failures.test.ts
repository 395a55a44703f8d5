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
/**
 * Over the same platform, with data sources that are out of order besides the good ones, and teams
 * that are unfit.
 */
let troubled: TestServer;
let demo: TestClient;
let team: string;
const superuser = 'postgres';

beforeAll(async () => {
  world = await startSmallWorld();
  // Takes connections, and hears them end, but never says a word.
  silent = createServer((socket) => socket.resume().on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const silentPort = typeof address === 'object' ? address?.port : undefined;
  const [first, second] = world.helium.dataSources;
  const changed = (parts: Partial<URL>) => Object.assign(new URL(first.url), parts).href;
  const broken = (heliumDataSourceName: string, url: string) => ({ ...first, heliumDataSourceName, url });
  team = world.helium.teams[0]?.name ?? '';
  troubled = await startTestServer({
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
  demo = await troubled.signIn('demo', 'demo');
});
afterAll(async () => {
  await troubled.stop();
  await new Promise((resolve) => silent.close(resolve));
  await world.stop();
});

const clinicId = () => world.helium.app('Clinic Visits').id;
const clinicSchema = { dataSource: 'helium-app-1', schemaName: 'clinic_visits_001' };

describe('data sources in trouble', () => {
  it.each([
    ['dead', 'The data source dead cannot be reached: nobody listens there.'],
    ['locked-out', 'The data source locked-out refuses the configured user or password.'],
    ['silent', 'The data source silent did not answer in time.'],
  ])('%s: the ping says why', async (dataSource, response) => {
    expect(await demo.call(pingDatabase, { dataSource })).toEqual({ response });
    expect(troubled.logged()).not.toContain('hunter2');
  });

  it('hold up no grant of an app that another one holds', async () => {
    expect((await demo.call(generateSql, { teamUser: team, schemaName: 'clinic_visits_001' })).actions).toContain(
      'COMMIT;',
    );
  });

  it('are told of when they are asked for', async () => {
    for (const dataSource of ['dead', 'locked-out']) {
      expect((await demo.attempt(getAppSchemas, { dataSource })).status).toBe(502);
      const grant = await demo.attempt(migrateSchema, { ...clinicSchema, dataSource, teamUser: team });
      expect(grant.status).toBe(502);
      expect(parseProblem(grant)).toMatchObject({ title: 'Failed to grant access!', kind: 'unreachable' });
    }
  });
});

describe('two data sources that hold a schema of the same name', () => {
  it('are named, so that the caller says which is meant', async () => {
    const [first] = world.helium.dataSources;
    const twins = await startTestServer({
      environments: [
        {
          name: 'Production',
          baseUrl: world.baseUrl,
          dataSources: [first, { ...first, heliumDataSourceName: 'twin' }],
          teamUsers: [team],
        },
      ],
    });
    const person = await twins.signIn('demo', 'demo');
    const response = await person.attempt(migrateApp, { teamUser: team, appId: clinicId() });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toBe(
      'Several data sources hold the schema clinic_visits_001: helium-app-1, twin. Name the one you mean.',
    );
    expect((await person.call(planAccess, { teamUser: team, ...clinicSchema, dataSource: 'twin' })).dataSource).toBe(
      'twin',
    );
    await twins.stop();
  });
});

describe('teams that are unfit', () => {
  it.each([
    ['ghost', 'There is no database user ghost on the server'],
    [superuser, 'postgres cannot be given a schema: it is a superuser.'],
  ])('%s: refused', async (teamUser, words) => {
    const response = await demo.attempt(migrateSchema, { ...clinicSchema, teamUser });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toContain(words);
  });
});

describe('who may', () => {
  it('is decided by role: viewers see, and grant nothing', async () => {
    const viewer = await troubled.signIn('health.dev', 'health');
    expect(await viewer.call(getTeamNames, undefined)).toContain(team);
    for (const endpoint of [planAccess, migrateApp]) {
      expect((await viewer.attempt(endpoint, { teamUser: team, appId: clinicId() })).status).toBe(403);
    }
  });
});

describe('a lock that the app holds', () => {
  it('ends the grant with the reason and the actions, none of which remains', async () => {
    const holder = new pg.Client(world.helium.app('Clinic Visits').url);
    await holder.connect();
    await holder.query('begin; select * from visit');
    const response = await demo.attempt(migrateSchema, { ...clinicSchema, teamUser: team });
    await holder.end();
    expect(response.status).toBe(409);
    const { message, actions, title } = parseProblem(response);
    expect(title).toBe('Failed to grant access!');
    expect(message).toMatch(
      /is in use, and was not free in time: it is held by \w+clinic_visits_001 \(idle in transaction since/,
    );
    expect(actions).toContain(`ALTER TABLE clinic_visits_001.visit OWNER TO ${pg.escapeIdentifier(team)};`);
    expect(await demo.call(getAccessHistory, {})).toEqual([]);
  });
});

describe('a record that is interrupted', () => {
  /** Grants as the service does, but breaks where it is told to. */
  async function grantBreaking(at: 'before the commit' | 'after the commit') {
    const database = openHeliumDatabase({ name: 'helium-app-1', url: world.helium.dataSources[0].url });
    const location = { environment: 'Production', ...clinicSchema };
    const lost = new Unreachable('The connection was cut.');
    try {
      return await runRecorded<GrantAccessPlan>(
        troubled.dependencies,
        { database, location },
        {
          state: 'running',
          write: ({ xid, plan }) =>
            addRunning(troubled.dependencies.pool, {
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

  it('before the commit: nothing was granted, and nothing is on record', async () => {
    await expect(grantBreaking('before the commit')).rejects.toThrow('The connection was cut.');
    expect(await demo.call(getAccessHistory, {})).toEqual([]);
  });

  it('after the commit: it is granted, and told so', async () => {
    const { id = '' } = await grantBreaking('after the commit');
    expect(await demo.call(getAccessHistory, {})).toMatchObject([{ id, state: 'granted', team }]);
    await demo.call(revertAccess, { grantId: id });
  });

  it('by the end of the server, right after the commit: settled when the history is read', async () => {
    const { grantId = '' } = await demo.call(migrateSchema, { ...clinicSchema, teamUser: team });
    const { pool } = troubled.dependencies;
    await pool.query(`UPDATE access_grants SET state = 'running' WHERE id = $1`, [grantId]);
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'granted' });
    await demo.call(revertAccess, { grantId });
    await pool.query(`UPDATE access_grants SET state = 'reverting' WHERE id = $1`, [grantId]);
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'reverted' });
  });

  it('of which the data source no longer knows: settled by who owns the schema', async () => {
    const { grantId = '' } = await demo.call(migrateSchema, { ...clinicSchema, teamUser: team });
    const { pool } = troubled.dependencies;
    const forget = (state: string) =>
      pool.query(`UPDATE access_grants SET state = $2, xid = '18446744073709551000' WHERE id = $1`, [grantId, state]);
    await forget('running');
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'granted' });
    await forget('reverting');
    expect((await demo.call(getAccessHistory, {}))[0]).toMatchObject({ id: grantId, state: 'granted', endedAt: null });
    await demo.call(revertAccess, { grantId });
  });
});
