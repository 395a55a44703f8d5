import { getAudit } from '@portal/contract/audit';
import * as contract from '@portal/contract/schema-access';
import type { SimulatedAppHandle } from '@portal/platforms/helium/simulator';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { problemOf, type TestClient } from '../../testing/test-client.ts';

const { getTeamNames, migrateApp, migrateSchema, generateSql, pingDatabase, getAppSchemas } = contract;
const { planAccess, planRevert, revertAccess, getAccessHistory, getAccessGrant } = contract;

let world: SmallWorld;
let clinic: SimulatedAppHandle;
let farm: SimulatedAppHandle;
let demo: TestClient;
let farmer: TestClient;
let health: string;
let farming: string;

beforeAll(async () => {
  world = await startSmallWorld();
  clinic = world.helium.app('Clinic Visits');
  farm = world.helium.app('Farm Inputs');
  [health, farming] = world.helium.teams.map(({ name }) => name) as [string, string];
  demo = await world.server.signIn('demo', 'demo');
  farmer = await world.server.signIn('farm.dev', 'farm');
});
afterAll(() => world.stop());
// Every test begins with schemas that belong to their apps.
afterEach(async () => {
  for (let history = await demo.call(getAccessHistory, {}); ; history = await demo.call(getAccessHistory, {})) {
    const newest = history.find(({ state }) => state === 'granted');
    if (!newest) return;
    await demo.call(revertAccess, { grantId: newest.id });
  }
});

const clinicSchema = { dataSource: 'helium-app-1', schemaName: 'clinic_visits_001' };

async function asTeam(team: string, sql: string): Promise<pg.QueryResult> {
  const url = world.helium.teams.find(({ name }) => name === team)?.url('helium-app-1') ?? '';
  return plainSql(url, sql);
}

async function plainSql(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Owners and privileges of everything in the app's schema, as text. */
async function stateOf({ dataSource, schemaName }: SimulatedAppHandle): Promise<string[]> {
  const { rows } = await plainSql(
    dataSource.url,
    `select format('%s %s %s', oid::regclass, pg_get_userbyid(relowner), coalesce(relacl, acldefault('r', relowner))) as line
       from pg_class where relnamespace = '${schemaName}'::regnamespace and relkind in ('r', 'v', 'm', 'S')
     union all select format('%s %s', oid::regprocedure, pg_get_userbyid(proowner)) from pg_proc where pronamespace = '${schemaName}'::regnamespace
     union all select format('%s %s', oid::regtype, pg_get_userbyid(typowner)) from pg_type where typnamespace = '${schemaName}'::regnamespace
     union all select format('%s %s %s', nspname, pg_get_userbyid(nspowner), coalesce(nspacl, acldefault('n', nspowner)))
       from pg_namespace where nspname = '${schemaName}'
     order by 1`,
  );
  return rows.map(({ line }) => line);
}

describe('what can be chosen', () => {
  it('are the teams of the environment', async () => {
    expect(await demo.call(getTeamNames, undefined)).toEqual([health, farming]);
  });

  it('are the caller’s apps whose schemas the data source holds', async () => {
    const names = async (client: TestClient, dataSource: string) =>
      (await client.call(getAppSchemas, { environment: 'Production', dataSource })).map(({ name }) => name);
    expect(await names(demo, 'helium-app-1')).toEqual(['Clinic Visits', 'Farm Inputs']);
    expect(await names(demo, 'helium-app-2')).toEqual(['Stock Room']);
    expect(await names(farmer, 'helium-app-1')).toEqual(['Farm Inputs']);
    const unknown = await demo.attempt(getAppSchemas, { dataSource: 'nowhere' });
    expect(unknown.status).toBe(400);
    expect(problemOf(unknown).message).toBe('There is no data source nowhere in Production.');
  });

  it('is told to be reachable', async () => {
    expect(await demo.call(pingDatabase, { environment: 'Production', dataSource: 'helium-app-2' })).toEqual({
      response: 'Ping successful',
    });
    expect((await demo.attempt(pingDatabase, { dataSource: 'nowhere' })).status).toBe(400);
  });
});

describe('granting', () => {
  it('shows what would happen, and changes nothing', async () => {
    const before = await stateOf(clinic);
    const plan = await demo.call(planAccess, { teamUser: health, appId: clinic.id });
    expect(plan).toMatchObject({ ...clinicSchema, newOwner: health, owner: plan.appRole, warnings: [] });
    expect(plan.counts[0]).toEqual({ kind: 'table', count: expect.any(Number) });
    expect(plan.actions).toContain(`ALTER TABLE clinic_visits_001.visit OWNER TO "${health}";`);
    expect(await stateOf(clinic)).toEqual(before);
    expect(await demo.call(planAccess, { teamUser: health, ...clinicSchema })).toMatchObject({
      actions: plan.actions,
      fingerprint: plan.fingerprint,
    });
  });

  it('makes the team the owner of all, while the app goes on working', async () => {
    const { actions, grantId } = await demo.call(migrateApp, {
      environment: 'Production',
      teamUser: health,
      appId: clinic.id,
      reason: 'incident 7',
    });
    expect(actions.length).toBeGreaterThan(20);
    expect((await stateOf(clinic)).filter((line) => !line.includes(` ${health}`))).toEqual([]);
    await asTeam(
      health,
      `update clinic_visits_001.visit set urgent = true; alter table clinic_visits_001.visit add column extra int;
       alter table clinic_visits_001.visit drop column extra;`,
    );
    await expect(asTeam(farming, 'select * from clinic_visits_001.visit')).rejects.toThrow('permission denied');
    expect(await clinic.run('Nightly:closeOldVisits')).toMatchObject({ success: true });
    await clinic.upgrade();
    await asTeam(health, 'select * from clinic_visits_001.release_note');
    expect(await demo.call(getAccessHistory, { appId: clinic.id })).toMatchObject([
      { id: grantId, state: 'granted', team: health, grantedBy: 'demo', reason: 'incident 7', ...clinicSchema },
    ]);
  });
});
