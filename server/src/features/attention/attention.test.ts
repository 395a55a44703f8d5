// @module-tag long

import { disableApp, getConfig, lockApp } from '@portal/contract/app-config';
import { getAppStates, getAttention, getFunctionNames } from '@portal/contract/attention';
import { getScheduledEvents } from '@portal/contract/scheduled-functions';
import { savePortalShift } from '@portal/contract/support-roster';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { saveResult, saveSource } from '../../app-checks/app-checks.store.ts';
import { platformSource } from '../../app-checks/platform-source.ts';
import { type ScriptedSyncService, startScriptedSyncService } from '../../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
let client: TestClient;

beforeAll(async () => {
  service = await startScriptedSyncService();
  service.script('POST /api/list', () => []);
  world = await startSmallWorld({ sync: service.sync });
  client = await world.server.signIn('demo', 'demo');
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
afterEach(() => world.helium.faults.clear());

/** Reads what the background has found once it has checked all apps that the caller views. */
const readAttention = async (who: TestClient = client, server: TestServer = world.server) => {
  await who.call(getAttention, undefined);
  await server.dependencies.appChecker.checkAll();
  return who.call(getAttention, undefined);
};
const nothing = { items: [], problems: [], checks: { missing: 0 } };
const configPath = (app: string) => `app-config/${world.helium.app(app).id}`;

/** Starts another portal with its own configuration on the same platform. */
async function withServer(
  overrides: Partial<Parameters<typeof startTestServer>[0]>,
  work: (signedIn: TestClient, server: TestServer) => Promise<void>,
): Promise<void> {
  const environments = [{ name: 'Production', baseUrl: world.baseUrl, dataSources: [...world.helium.dataSources] }];
  const server = await startTestServer({ environments, sync: service.sync, ...overrides });
  try {
    await work(await server.signIn('demo', 'demo'), server);
  } finally {
    await server.stop();
  }
}

describe('attention list', () => {
  it('returns an empty list when nothing is wrong', { tags: 'short' }, async () => {
    await world.helium.app('Clinic Visits').run('Nightly:closeOldVisits');
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect(await readAttention(farmer)).toMatchObject(nothing);
  });

  it('lists failing functions, disabled and locked apps in this order, for users who see the app', async () => {
    const clinic = world.helium.app('Clinic Visits');
    const stock = world.helium.app('Stock Room');
    await clinic.run('Reminders:callGateway');
    await client.call(disableApp, { appId: clinic.id, disabled: true });
    await client.call(lockApp, { appId: clinic.id, locked: true });
    await client.call(lockApp, { appId: stock.id, locked: true });
    const { items, problems } = await readAttention();
    expect(problems).toEqual([]);
    expect(items).toMatchObject([
      {
        kind: 'failing-function',
        title: 'Clinic Visits',
        detail: expect.stringMatching(/^Reminders:callGateway failed: .*Outbound API call failed/),
        at: expect.stringMatching(/Z$/),
        route: `/scheduledfunctions/${clinic.id}`,
      },
      { kind: 'disabled-app', title: 'Clinic Visits', at: null, route: `/config/${clinic.id}` },
      { kind: 'locked-app', title: 'Clinic Visits', detail: expect.stringContaining('background processes continue') },
      { kind: 'locked-app', title: 'Stock Room', route: `/config/${stock.id}` },
    ]);
    const farmer = await readAttention(await world.server.signIn('farm.dev', 'farm'));
    expect(farmer).toMatchObject(nothing);
    expect(farmer.counts).toEqual({});
  });

  it('returns the state of each app, and the names of its functions, for the apps that the user sees', async () => {
    await readAttention();
    const states = await client.call(getAppStates, undefined);
    const stateOf = (name: string) =>
      states.apps.find(({ appId }) => appId === world.helium.app(name).id)?.states.toSorted();
    expect(['Clinic Visits', 'Stock Room', 'Farm Inputs'].map(stateOf)).toEqual([
      ['disabled-app', 'failing-function', 'locked-app'],
      ['locked-app'],
      undefined,
    ]);
    expect([states.problems, states.pending]).toEqual([[], 0]);
    const functions = await client.call(getFunctionNames, undefined);
    expect(functions.find(({ appId }) => appId === world.helium.app('Clinic Visits').id)?.names).toContain(
      'Reminders:callGateway',
    );
    const farmer = await world.server.signIn('farm.dev', 'farm');
    const own = world.helium.app('Farm Inputs').id;
    for (const { appId } of (await farmer.call(getAppStates, undefined)).apps) expect(appId).toBe(own);
    for (const { appId } of await farmer.call(getFunctionNames, undefined)) expect(appId).toBe(own);
  });

  it('no longer lists an item that was fixed', async () => {
    const stock = world.helium.app('Stock Room');
    await client.call(lockApp, { appId: stock.id, locked: false });
    expect((await readAttention()).items.filter(({ title }) => title === 'Stock Room')).toEqual([]);
  });

  it('rejects requests without a session', async () => {
    expect((await world.server.client().attempt(getAttention, undefined)).status).toBe(401);
  });
});

describe('attention list of many users', () => {
  it('asks the platform and the data sources once for forty sessions, and never for a response', async () => {
    const users = await Promise.all(Array.from({ length: 40 }, () => world.server.signIn('demo', 'demo')));
    const paths: string[] = [];
    world.network.decide(({ path }) => {
      paths.push(path);
      return 'pass';
    });
    onTestFinished(() => world.network.reset());
    const { appDatabases, appChecker, environments } = world.server.dependencies;
    const databases = environments.all.flatMap((environment) => appDatabases.all(environment));
    const statements = databases.map((database) => vi.spyOn(database, 'withSignal'));
    onTestFinished(() => {
      for (const spy of statements) spy.mockRestore();
    });

    const countConfigurations = () => paths.filter((path) => path.includes('app-config')).length;
    const countReadApps = () => statements.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    for (const user of users) await user.call(getAttention, undefined);
    expect([countConfigurations(), countReadApps()]).toEqual([0, 0]);
    await appChecker.checkAll();
    expect(countConfigurations()).toBe(3);
    const readApps = countReadApps();
    expect(readApps).toBeLessThanOrEqual(3 + databases.length);
    for (const user of users) await user.call(getAttention, undefined);
    expect([countConfigurations(), countReadApps()]).toEqual([3, readApps]);
  });

  it('shows nothing of an app at the next response once the platform no longer lists it', async () => {
    await withServer({ freshness: { appsMs: 30_000 } }, async (signedIn, server) => {
      const clinic = world.helium.app('Clinic Visits');
      expect(JSON.stringify(await readAttention(signedIn, server))).toContain(clinic.id);
      const helium = server.dependencies.environments.all[0]?.helium;
      if (!helium) throw new Error('there is no environment');
      const listApps = helium.listApps.bind(helium);
      const spy = vi.spyOn(helium, 'listApps').mockImplementation(async (context) => {
        const { entries, skipped } = await listApps(context);
        return { entries: entries.filter(({ id }) => id !== clinic.id), skipped };
      });
      const { items, counts, checks } = await signedIn.call(getAttention, undefined);
      expect(items.filter(({ title }) => title === clinic.name)).toEqual([]);
      expect(counts['failing-function']).toBeUndefined();
      expect(checks.missing).toBe(0);
      expect(spy).toHaveBeenCalledTimes(1);
    });
  });

  it('counts for a user of three of 400 apps only what concerns these three', async () => {
    await withServer({}, async (_, server) => {
      const apps = Array.from({ length: 400 }, (_, at) => ({
        id: `id-${at}`,
        name: `App ${at}`,
        schemaName: `app_${at}`,
        fqdn: '',
      }));
      const { pool, environments, appDatabases } = server.dependencies;
      const [environment] = environments.all;
      const [database] = environment ? appDatabases.all(environment) : [];
      if (!environment || !database) throw new Error('there is no data source');
      const spy = vi.spyOn(environment.helium, 'listApps');
      spy.mockImplementation(async ({ credentials: { userName } }) => ({
        entries: userName === 'demo' ? apps : apps.slice(7, 10),
        skipped: [],
      }));
      const configurations = { environment: 'Production', subject: 'configuration', source: platformSource } as const;
      const functions = { environment: 'Production', subject: 'functions', source: database.name } as const;
      await saveSource(pool, configurations, { apps: null });
      await saveSource(pool, functions, { apps: apps.map(({ schemaName }) => schemaName) });
      for (const [at, { id, schemaName }] of apps.entries()) {
        await saveResult(pool, configurations, id, { disabled: true, locked: at % 9 === 0 });
        await saveResult(pool, functions, schemaName, { count: at, newest: [] });
      }
      const readCounts = async (user: TestClient) => {
        const { counts, checks } = await user.call(getAttention, undefined);
        return { counts, missing: checks.missing };
      };
      expect(await readCounts(await server.signIn('farm.dev', 'farm'))).toEqual({
        counts: { 'disabled-app': 3, 'locked-app': 1, 'failing-function': 7 + 8 + 9 },
        missing: 0,
      });
      expect(await readCounts(await server.signIn('demo', 'demo'))).toEqual({
        counts: { 'disabled-app': 400, 'locked-app': 45, 'failing-function': (400 * 399) / 2 },
        missing: 0,
      });
    });
  });

  it.each([
    ['configuration', (appId: string) => client.call(getConfig, { appId })],
    ['functions', (appId: string) => client.call(getScheduledEvents, { appId })],
  ])('checks an app first while its page of the %s is open', async (_, openPage) => {
    const { pool, appChecker } = world.server.dependencies;
    await pool.query('truncate app_check, app_check_page');
    await openPage(world.helium.app('Stock Room').id);
    await client.call(getAttention, undefined);
    await appChecker.checkAll();
    const { rows } = await pool.query<{ app: string }>(
      `select distinct on (subject, source) app from app_check order by subject, source, attempted_at`,
    );
    const { id, schemaName } = world.helium.app('Stock Room');
    expect(rows.map(({ app }) => app)).toEqual(expect.arrayContaining([id, schemaName]));
  });

  it('reports how many apps were never read', async () => {
    await withServer({}, async (signedIn, server) => {
      expect((await signedIn.call(getAttention, undefined)).checks).toEqual({ missing: 6, outdated: 0, oldest: null });
      await server.dependencies.appChecker.checkAll();
      expect((await signedIn.call(getAttention, undefined)).checks).toEqual({
        missing: 0,
        outdated: 0,
        oldest: expect.stringMatching(/Z$/),
      });
      expect(await server.dependencies.registry.metrics()).toMatch(
        /^portal_oldest_app_check_seconds\{environment="Production"\} \d/m,
      );
    });
  });

  it('counts checks that are older than promised until they are made again', async () => {
    await withServer({}, async (signedIn, { dependencies: { pool, appChecker } }) => {
      await signedIn.call(getAttention, undefined);
      await appChecker.checkAll();
      await pool.query(
        `update app_check set attempted_at = now() - interval '7 minutes', read_at = now() - interval '7 minutes'`,
      );
      expect((await signedIn.call(getAttention, undefined)).checks).toMatchObject({ missing: 0, outdated: 6 });
      await appChecker.checkAll();
      expect((await signedIn.call(getAttention, undefined)).checks).toMatchObject({ missing: 0, outdated: 0 });
    });
  });

  it('reports that an app could not be read again if the platform refuses it now, whatever was read before', async () => {
    await readAttention();
    const { pool } = world.server.dependencies;
    await pool.query(`update app_check set read_at = read_at - interval '1 second' where subject = 'configuration'`);
    const { problems } = await client.call(getAttention, undefined);
    expect(problems).toEqual([
      expect.stringMatching(/^For 3 of 3 apps, the configuration could not be read: The platform refused it\. What is/),
    ]);
    await readAttention();
  });

  it('counts all failing functions, and lists the newest in a small response', async () => {
    const stock = world.helium.app('Stock Room');
    const data = new pg.Client(stock.url);
    await data.connect();
    onTestFinished(async () => {
      await data.query(`delete from __scheduled_function_result__ where qualifiedname like 'Many:%'`);
      await data.end();
    });
    await data.query(
      `insert into __scheduled_function_result__
         (_id_, _tstamp_, datetimestampstarted, datetimestampfinished, qualifiedname, success, error, stacktrace)
       select gen_random_uuid(), now(), at, at, 'Many:function' || n, false, repeat('\u{1f525}', 1000), repeat('at Unit ', 400)
       from generate_series(1, 3000) n, lateral (select now() + n * interval '1 ms') moment (at)`,
    );
    await readAttention();
    const { text } = await client.send('GET', getAttention.path);
    const { items, counts } = getAttention.response.parse(JSON.parse(text));
    const failing = items.filter(({ kind }) => kind === 'failing-function');
    expect(failing.map(({ detail }) => detail.split(' ')[0])).toEqual(
      Array.from({ length: 20 }, (_, at) => `Many:function${3_000 - at}`),
    );
    expect(counts['failing-function']).toBe(3_001);
    expect(Buffer.byteLength(text)).toBeLessThan(100_000);
  });
});

describe('attention source that fails', () => {
  it('reports the problem with the number of affected apps, next to all other items', async () => {
    world.helium.faults.set({ path: configPath('Stock Room'), mode: 'error500' });
    const { items, problems } = await readAttention();
    expect(problems).toEqual([
      expect.stringMatching(/^For 1 of 3 apps, the configuration could not be read: .*with status 500\.$/),
    ]);
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['failing-function', 'disabled-app', 'locked-app']));
  });

  it('reports a problem of many apps once, and shows what was last found with its age', async () => {
    world.helium.faults.set({ path: 'app-config', mode: 'html' });
    const { items, problems } = await readAttention();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      /^For 3 of 3 apps, the configuration could not be read: .* What is shown of these apps is from \d\d:\d\d\.$/,
    );
    expect(items.map(({ kind }) => kind)).toEqual(['failing-function', 'disabled-app', 'locked-app']);
  });

  it('an unreachable data source is reported', async () => {
    const [first, ...others] = world.helium.dataSources;
    const away = { ...first, heliumDataSourceName: 'away', url: 'postgres://portal@127.0.0.1:1/away' };
    const environments = [{ name: 'Production', baseUrl: world.baseUrl, dataSources: [away, ...others] }];
    await withServer({ environments }, async (signedIn, server) => {
      const { items, problems } = await readAttention(signedIn, server);
      expect(problems).toEqual(['The data source away cannot be reached: connection refused.']);
      expect(items.map(({ kind }) => kind)).toEqual(['disabled-app', 'locked-app']);
    });
  });

  it('an app without a data source is not reported', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    await withServer({ environments }, async (signedIn, server) => {
      const { items, problems } = await readAttention(signedIn, server);
      expect(problems).toEqual([]);
      expect(items.map(({ kind }) => kind)).toEqual(['disabled-app', 'locked-app']);
    });
  });
});

describe('deployments in the attention list', () => {
  const schedule = (releaseName: string, at: string, status: string) =>
    world.server.dependencies.pool.query(
      `INSERT INTO deployment_schedules (environment, deployment_date, team, jira_project, app_ids, app_names, app_schemas,
         release_name, release_group, release_tag, release_description, instructions, data_source, schedule_status, portal_user,
         revision, updated_at)
       SELECT 'Production', ${at}, 'Health', 'HLT', '{1,2,3,4}', '{Clinic,Farm,Stock,Visits}', '{a,b,c,d}', $1, 'Nightly', '',
         '', 'None', 'helium-app-1', $2, 'demo', 1, now()
       FROM (SELECT date_trunc('day', now(), 'Africa/Johannesburg') AS midnight) today`,
      [releaseName, status],
    );

  it("lists unresolved deployments of the environment's current day, earliest first", async () => {
    await schedule('Evening', `midnight + interval '24 hours - 1 ms'`, 'MERGE');
    await schedule('Midnight', 'midnight', 'MERGE');
    await schedule('Over', `midnight + interval '9 hours'`, 'RESOLVED');
    await schedule('Yesterday', `midnight - interval '1 ms'`, 'MERGE');
    await schedule('Tomorrow', `midnight + interval '24 hours'`, 'MERGE');
    const { items, problems } = await readAttention();
    expect(problems).toEqual([]);
    expect(items.slice(0, 3)).toMatchObject([
      { kind: 'deployment', title: 'Midnight', detail: 'Health releases Clinic, Farm, Stock and 1 more.' },
      {
        kind: 'deployment',
        title: 'Evening',
        route: expect.stringMatching(/^\/deployments\/\d+$/),
        at: expect.stringMatching(/T21:59:59\.999Z$/),
      },
      { kind: 'failing-function' },
    ]);
  });
});

describe('support roster in the attention list', () => {
  const dayMs = 86_400_000;

  it('reports a team without anyone on call, and nothing for a covered team', async () => {
    const supportRoster = { teams: [{ name: 'Health support' }] };
    const teams = [{ name: 'Health support', apps: ['clinic_visits_001'] }];
    await withServer({ supportRoster, teams }, async (signedIn, server) => {
      const gaps = async () =>
        (await readAttention(signedIn, server)).items.filter(({ kind }) => kind === 'roster-gap');
      const [gap, ...others] = await gaps();
      expect(others).toEqual([]);
      expect(gap).toMatchObject({ title: 'Health support', route: '/support-roster/Health%20support' });
      expect(gap?.detail).toMatch(/^No one is on call now, until \w{3} \d+ \w{3}, \d\d:\d\d \+00:00\.$/);
      const add = (from: number, to: number) =>
        signedIn.call(savePortalShift, {
          team: 'Health support',
          id: null,
          name: 'Thabo',
          number: null,
          start: new Date(Date.now() + from * dayMs).toISOString(),
          end: new Date(Date.now() + to * dayMs).toISOString(),
        });
      await add(-1, 3);
      await add(4, 5);
      const [later] = await gaps();
      expect(later?.detail).toMatch(/^No one is on call from .* to .*\. 1 more gap follows\.$/);
      expect(new Date(later?.at ?? 0).getTime()).toBeGreaterThan(Date.now());
      await add(-1, 60);
      expect(await gaps()).toEqual([]);
    });
  });

  it('reports a roster that was never read as a problem', async () => {
    const teams = [{ name: 'Farm support', calendar: 'http://127.0.0.1:1/roster.ics' }];
    await withServer({ supportRoster: { teams } }, async (signedIn, server) => {
      const { items, problems } = await readAttention(signedIn, server);
      expect(problems).toEqual([expect.stringContaining('Farm support')]);
      expect(items.filter(({ kind }) => kind === 'roster-gap')).toEqual([]);
    });
  });
});

it('omits the roster for users whose role may not view it', async () => {
  await withServer({ roles: [{ role: 'viewer', users: ['another-user'] }] }, async (signedIn, server) => {
    expect(await readAttention(signedIn, server)).toMatchObject(nothing);
  });
});
