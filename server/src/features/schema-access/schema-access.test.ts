import { getAudit } from '@portal/contract/audit';
import * as contract from '@portal/contract/schema-access';
import { shortenValue } from '@portal/kit/shorten-value';
import type { SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';

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
// Every test starts with schemas owned by their apps.
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

/** Returns the owners and privileges of everything in the app's schema, as text. */
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

describe('schema access choices', () => {
  it('lists the teams of the environment', async () => {
    expect(await demo.call(getTeamNames, undefined)).toEqual([health, farming]);
  });

  it("lists the caller's apps whose schemas are in the data source", async () => {
    const names = async (client: TestClient, dataSource: string) =>
      (await client.call(getAppSchemas, { environment: 'Production', dataSource })).map(({ name }) => name);
    expect(await names(demo, 'helium-app-1')).toEqual(['Clinic Visits', 'Farm Inputs']);
    expect(await names(demo, 'helium-app-2')).toEqual(['Stock Room']);
    expect(await names(farmer, 'helium-app-1')).toEqual(['Farm Inputs']);
    const unknown = await demo.attempt(getAppSchemas, { dataSource: 'nowhere' });
    expect(unknown.status).toBe(400);
    expect(parseProblem(unknown).message).toBe('There is no data source nowhere in Production.');
  });

  it('reports a reachable data source', async () => {
    expect(await demo.call(pingDatabase, { environment: 'Production', dataSource: 'helium-app-2' })).toEqual({
      response: 'Ping successful',
    });
    expect((await demo.attempt(pingDatabase, { dataSource: 'nowhere' })).status).toBe(400);
  });
});

describe('granting access', () => {
  it('a plan shows the effect and changes nothing', async () => {
    const before = await stateOf(clinic);
    const plan = await demo.call(planAccess, { teamUser: health, appId: clinic.id });
    expect(plan).toMatchObject({ ...clinicSchema, newOwner: health, owner: plan.appRole, warnings: [] });
    expect(plan.counts[0]).toEqual({ kind: 'table', count: expect.any(Number) });
    expect(plan.actions).toContain(`ALTER TABLE clinic_visits_001.visit OWNER TO "${health}";`);
    expect(await stateOf(clinic)).toEqual(before);
    const same = await demo.call(planAccess, { teamUser: health, ...clinicSchema });
    expect(same).toMatchObject({ actions: plan.actions, fingerprint: plan.fingerprint });
  });

  it('makes the team the owner of all objects, while the app keeps working', async () => {
    const request = { environment: 'Production', teamUser: health, appId: clinic.id, reason: 'incident 7' };
    const { actions, grantId } = await demo.call(migrateApp, request);
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
    // Only the objects that the app has created since are left to change.
    const again = await demo.call(migrateSchema, { ...clinicSchema, teamUser: health });
    expect(again.actions).toEqual([`ALTER TABLE clinic_visits_001.release_note OWNER TO "${health}";`]);
    expect(await demo.call(migrateSchema, { ...clinicSchema, teamUser: health })).toEqual({ actions: [] });
  });

  it('generated SQL has the same effect when run by hand', async () => {
    const stock = world.helium.app('Stock Room');
    const stockSchema = { dataSource: 'helium-app-2', schemaName: stock.schemaName };
    const before = await stateOf(stock);
    const { actions } = await demo.call(generateSql, { teamUser: health, schemaName: stock.schemaName });
    expect(actions.slice(0, 2)).toEqual(['BEGIN;', `SET LOCAL lock_timeout = '5s';`]);
    expect(actions.at(-1)).toBe('COMMIT;');
    expect(await demo.call(getAccessHistory, { appId: stock.id })).toEqual([]);
    const { grantId = '' } = await demo.call(migrateSchema, { ...stockSchema, teamUser: health });
    const granted = await stateOf(stock);
    await demo.call(revertAccess, { grantId });
    expect(await stateOf(stock)).toEqual(before);
    await plainSql(stock.dataSource.grantUrl, actions.join('\n'));
    expect(await stateOf(stock)).toEqual(granted);
    const again = await demo.call(generateSql, { teamUser: health, schemaName: stock.schemaName });
    expect(again).toEqual({ actions: [], readsCatalog: false });
  });

  it('generates SQL for a schema of no app of the caller, with the same effect', async () => {
    const before = await stateOf(clinic);
    const { grantId = '' } = await demo.call(migrateSchema, { ...clinicSchema, teamUser: health });
    const granted = await stateOf(clinic);
    const { inverse } = await demo.call(getAccessGrant, { grantId });
    await demo.call(revertAccess, { grantId });
    const { actions, readsCatalog } = await farmer.call(generateSql, {
      schemaName: clinic.schemaName,
      teamUser: health,
    });
    expect(readsCatalog).toBe(true);
    expect(actions).toEqual(['BEGIN;', `SET LOCAL lock_timeout = '5s';`, expect.stringMatching(/^DO /), 'COMMIT;']);
    expect(await stateOf(clinic)).toEqual(before);
    await plainSql(clinic.dataSource.grantUrl, actions.join('\n'));
    expect(await stateOf(clinic)).toEqual(granted);
    await plainSql(clinic.dataSource.grantUrl, ['begin;', ...inverse, 'commit;'].join('\n'));
    expect(await stateOf(clinic)).toEqual(before);
  });

  it('refuses a grant if the schema has changed since the plan', async () => {
    const { fingerprint } = await demo.call(planAccess, { teamUser: health, appId: farm.id });
    const sequence = 'farm_inputs_001.created_concurrently';
    await plainSql(farm.url, `create sequence ${sequence}`);
    const response = await demo.attempt(migrateApp, { teamUser: health, appId: farm.id, expected: fingerprint });
    expect(response.status).toBe(409);
    expect(parseProblem(response)).toMatchObject({ title: 'Failed to grant access!' });
    expect(parseProblem(response).message).toMatch(/^The schema has changed since you opened it/);
    await plainSql(farm.url, `drop sequence ${sequence}`);
    await demo.call(migrateApp, { teamUser: health, appId: farm.id, expected: fingerprint });
  });

  it('concurrent grants result in one owner and a matching history', async () => {
    const teams = [health, farming, health, farming, farming];
    const responses = await Promise.all(
      teams.map((teamUser) => demo.attempt(migrateSchema, { ...clinicSchema, teamUser })),
    );
    expect(responses.map(({ status }) => status)).toEqual(teams.map(() => 200));
    const history = await demo.call(getAccessHistory, { appId: clinic.id });
    const owner = history[0]?.team;
    expect((await stateOf(clinic)).filter((line) => !line.includes(` ${owner}`))).toEqual([]);
    const holding = history.filter(({ state }) => state === 'granted').map(({ team }) => team);
    expect(new Set(holding)).toEqual(new Set([owner]));
    expect(history.some(({ state }) => state === 'running')).toBe(false);
    expect(await clinic.run('Nightly:closeOldVisits')).toMatchObject({ success: true });
  });

  it('audits every outcome', async () => {
    await demo.call(migrateApp, { teamUser: health, appId: farm.id, reason: 'because' });
    await demo.attempt(migrateApp, { teamUser: 'unknown', appId: farm.id });
    const { entries } = await demo.call(getAudit, { action: 'schema-access.grant' });
    expect(entries.slice(0, 2)).toMatchObject([
      { outcome: 'refused', resource: farm.id, reason: expect.stringContaining('unknown is not a team of') },
      {
        outcome: 'done',
        resourceName: 'Farm Inputs',
        reason: 'because',
        after: { owner: health, objects: { table: expect.any(Number) } },
      },
    ]);
  });
});

describe('reverting access', () => {
  it('restores every owner and privilege, as its plan shows', async () => {
    const before = await stateOf(clinic);
    const { grantId = '' } = await demo.call(migrateApp, { teamUser: health, appId: clinic.id });
    const plan = await demo.call(planRevert, { grantId });
    expect(plan).toMatchObject({ ...clinicSchema, owner: health, newOwner: plan.appRole });
    const receipt = await demo.call(getAccessGrant, { grantId });
    expect(receipt).toMatchObject({ grant: { id: grantId, state: 'granted' }, inverse: plan.actions, obstacle: null });
    const { actions } = await demo.call(revertAccess, { grantId, reason: 'done', expected: plan.fingerprint });
    expect(actions).toEqual(plan.actions);
    expect(await stateOf(clinic)).toEqual(before);
    expect(await demo.call(getAccessGrant, { grantId })).toMatchObject({
      grant: { state: 'reverted', endedBy: 'demo', endReason: 'done' },
      inverse: [],
      obstacle: 'The grant has already been reverted.',
    });
    expect(await clinic.run('Nightly:closeOldVisits')).toMatchObject({ success: true });
    await expect(asTeam(health, 'select * from clinic_visits_001.visit')).rejects.toThrow('permission denied');
    const again = await demo.attempt(revertAccess, { grantId });
    expect(again.status).toBe(409);
    expect(parseProblem(again)).toMatchObject({ title: 'Failed to revert access!' });
    const { entries } = await demo.call(getAudit, { action: 'schema-access.revert' });
    expect(entries.slice(0, 2)).toMatchObject([
      { outcome: 'refused', resource: clinic.id },
      {
        outcome: 'done',
        resource: clinic.id,
        before: { owner: health },
        after: { owner: plan.appRole },
        reason: 'done',
      },
    ]);
  });

  it('returns access to the previous team after a replacing grant is reverted', async () => {
    const first = await demo.call(migrateApp, { teamUser: health, appId: clinic.id });
    const between = await stateOf(clinic);
    const second = await demo.call(migrateApp, { teamUser: farming, appId: clinic.id });
    const states = async () =>
      (await demo.call(getAccessHistory, { appId: clinic.id })).map(({ state }) => state).slice(0, 2);
    expect(await states()).toEqual(['granted', 'replaced']);
    await expect(asTeam(health, 'select * from clinic_visits_001.visit')).rejects.toThrow('permission denied');
    const tooOld = await demo.attempt(revertAccess, { grantId: first.grantId ?? '' });
    expect(parseProblem(tooOld).message).toContain(
      'was later granted to another team. Only the newest grant can be reverted',
    );
    await demo.call(revertAccess, { grantId: second.grantId ?? '' });
    expect(await stateOf(clinic)).toEqual(between);
    expect(await states()).toEqual(['reverted', 'granted']);
  });

  it('allows only the newest grant of a schema, and the receipts of others show why', async () => {
    const first = await demo.call(migrateApp, { teamUser: health, appId: farm.id });
    await plainSql(farm.url, 'create table planted_since (id integer)');
    const second = await demo.call(migrateApp, { teamUser: health, appId: farm.id });
    const obstacle = async (grantId = '') => (await demo.call(getAccessGrant, { grantId })).obstacle;
    expect(await obstacle(first.grantId)).toContain('was granted again later');
    const refused = await demo.attempt(revertAccess, { grantId: first.grantId ?? '' });
    expect(parseProblem(refused).message).toBe(await obstacle(first.grantId));
    for (const { grantId = '' } of [second, first]) {
      expect(await obstacle(grantId)).toBeNull();
      await demo.call(revertAccess, { grantId });
    }
    await plainSql(farm.url, 'drop table planted_since');
  });

  it('refuses a deleted schema, whose receipt remains available', async () => {
    const { grantId = '' } = await demo.call(migrateApp, { teamUser: health, appId: farm.id });
    const rename = (from: string, to: string) =>
      plainSql(farm.dataSource.grantUrl, `alter schema ${from} rename to ${to}`);
    await rename(farm.schemaName, 'elsewhere');
    expect(await demo.call(getAccessGrant, { grantId })).toMatchObject({
      grant: { state: 'granted' },
      inverse: [],
      obstacle: `The schema ${farm.schemaName} does not exist any more.`,
    });
    await rename('elsewhere', farm.schemaName);
    await demo.call(revertAccess, { grantId });
  });

  it('only records a grant that was already reverted by hand', async () => {
    const { grantId = '' } = await demo.call(migrateApp, { teamUser: health, appId: farm.id });
    const { inverse } = await demo.call(getAccessGrant, { grantId });
    await plainSql(farm.dataSource.grantUrl, ['begin;', ...inverse, 'commit;'].join('\n'));
    expect(await demo.call(revertAccess, { grantId })).toEqual({ actions: [], grantId });
    expect((await demo.call(getAccessGrant, { grantId })).grant).toMatchObject({ state: 'reverted', endedBy: 'demo' });
  });

  it('refuses grants for apps of other users', async () => {
    const { grantId = '' } = await demo.call(migrateApp, { teamUser: health, appId: clinic.id });
    for (const id of [grantId, '0', '99999999999999999999', `1'; drop table access_grants; --`]) {
      for (const endpoint of [revertAccess, planRevert, getAccessGrant]) {
        const response = await farmer.attempt(endpoint, { grantId: id });
        expect(response.status).toBe(404);
        expect(parseProblem(response).message).toBe(`There is no grant ${id} for any of your apps.`);
      }
    }
    expect(await farmer.call(getAccessHistory, {})).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ appId: clinic.id })]),
    );
  });
});

describe('rights to schemas and grants', () => {
  it('are refused for every call to users whom the platform lets only read, and nothing changes', async () => {
    const viewer = await world.server.signIn('viewer', 'viewer');
    const { grantId = '' } = await demo.call(migrateApp, { appId: clinic.id, teamUser: health });
    const before = await stateOf(clinic);
    const schema = { ...clinicSchema, teamUser: farming };
    for (const response of [
      await viewer.attempt(planAccess, schema),
      await viewer.attempt(migrateSchema, schema),
      await viewer.attempt(planRevert, { grantId }),
      await viewer.attempt(revertAccess, { grantId }),
    ])
      expect([response.status, parseProblem(response).message]).toEqual([
        403,
        'You cannot grant schema access, because Helium does not let you change the app Clinic Visits.',
      ]);
    expect(await stateOf(clinic)).toEqual(before);
    expect((await viewer.attempt(getAccessGrant, { grantId })).status).toBe(200);
    expect((await demo.attempt(planRevert, { grantId })).status).toBe(200);
  });

  it('are recorded where someone tries those of other apps', async () => {
    const { grantId = '' } = await demo.call(migrateApp, { appId: clinic.id, teamUser: health });
    const bySchema = { ...clinicSchema, teamUser: farming };
    for (const [response, resourceKind, resource, action] of [
      [await farmer.attempt(planAccess, bySchema), 'schema', clinicSchema.schemaName, planAccess.may],
      [await farmer.attempt(migrateSchema, bySchema), 'schema', clinicSchema.schemaName, migrateSchema.may],
      [await farmer.attempt(planRevert, { grantId }), 'grant', grantId, planRevert.may],
      [await farmer.attempt(revertAccess, { grantId }), 'grant', grantId, revertAccess.may],
      [await farmer.attempt(getAccessGrant, { grantId }), 'grant', grantId, getAccessGrant.may],
    ] as const) {
      expect(response.status).toBe(404);
      const { entries } = await farmer.call(getAudit, { username: 'farm.dev', resourceKind, resource, action });
      const description = 'Refused, because the platform does not list the app for this user';
      const { message } = parseProblem(response);
      expect(entries).toMatchObject([{ outcome: 'refused', description, reason: message }]);
    }
    const { entries } = await farmer.call(getAudit, { username: 'farm.dev', resourceKind: 'grant', resource: grantId });
    expect(entries.map(({ attempts }) => attempts)).toEqual([1, 2]);
  });
});

describe('invalid schema access requests', () => {
  const sqlNames = [`x'; drop schema clinic_visits_001 cascade; --`, 'a"b', 'é'.repeat(200)];

  it('refuses an invalid team without changing anything', async () => {
    const before = await stateOf(clinic);
    for (const teamUser of [...sqlNames, 'postgres', 'unknown', '', clinic.schemaName]) {
      for (const endpoint of [migrateSchema, planAccess, generateSql]) {
        const { dataSource, schemaName } = clinicSchema;
        const place = endpoint === generateSql ? { schemaName } : { dataSource, schemaName };
        const response = await demo.attempt(endpoint, { ...place, teamUser });
        expect(response.status).toBe(400);
        expect(parseProblem(response).message).toContain(`${shortenValue(teamUser)} is not a team of`);
      }
    }
    expect(await stateOf(clinic)).toEqual(before);
  });

  it("returns the same error for an unknown schema as for a schema of another user's app", async () => {
    const invalidNames = [...sqlNames, 'nothing_001', 'pg_catalog', 'public', 'helium_platform', 'stock_room_001'];
    for (const schemaName of [...invalidNames, 'clinic_visits_001']) {
      for (const endpoint of [migrateSchema, planAccess]) {
        const response = await farmer.attempt(endpoint, { dataSource: 'helium-app-1', schemaName, teamUser: health });
        expect(response.status).toBe(404);
        const sentence = `None of your apps has the schema ${shortenValue(schemaName)} in helium-app-1.`;
        expect(parseProblem(response).message).toBe(sentence);
      }
      const generated = await farmer.call(generateSql, { schemaName, teamUser: health });
      expect(generated).toEqual({ actions: expect.any(Array), readsCatalog: true });
    }
  });

  it('refuses an unknown data source, app or environment before anything runs', async () => {
    const status = async (input: object) =>
      (await farmer.attempt(migrateSchema, { ...clinicSchema, teamUser: health, ...input })).status;
    expect(await status({ dataSource: 'postgres://evil/' })).toBe(400);
    expect(await status({ environment: 'Nowhere' })).toBe(400);
    expect((await farmer.attempt(migrateApp, { appId: clinic.id, teamUser: health })).status).toBe(404);
    expect((await demo.attempt(planAccess, { teamUser: health })).status).toBe(400);
    const none = await farmer.send('POST', migrateSchema.path, '{}');
    expect(Object.keys(parseProblem(none).fields ?? {})).toEqual(['dataSource', 'teamUser', 'schemaName']);
  });
});
