import { disableApp, lockApp } from '@portal/contract/app-config';
import { getAttention } from '@portal/contract/attention';
import { savePortalShift } from '@portal/contract/support-roster';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedSyncService, startScriptedSyncService } from '../../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { startTestServer } from '../../testing/test-server.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
let client: TestClient;

beforeAll(async () => {
  service = await startScriptedSyncService();
  service.script('POST /api/list', () => []);
  world = await startSmallWorld({ freshness: { attentionMs: 60_000 }, sync: service.sync });
  client = await world.server.signIn('demo', 'demo');
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
afterEach(() => world.helium.faults.clear());

const fresh = { 'cache-control': 'no-cache' };
const readAttention = async (who: TestClient = client) => {
  const { status, text } = await who.send('GET', getAttention.path, undefined, fresh);
  expect(status).toBe(200);
  return getAttention.response.parse(JSON.parse(text));
};
const configPath = (app: string) => `app-config/${world.helium.app(app).id}`;

/** Starts another portal with its own configuration on the same platform. */
async function withServer(
  overrides: Partial<Parameters<typeof startTestServer>[0]>,
  work: (signedIn: TestClient) => Promise<void>,
): Promise<void> {
  const environments = [{ name: 'Production', baseUrl: world.baseUrl, dataSources: [...world.helium.dataSources] }];
  const server = await startTestServer({ environments, sync: service.sync, ...overrides });
  try {
    await work(await server.signIn('demo', 'demo'));
  } finally {
    await server.stop();
  }
}

describe('attention list', () => {
  it('returns an empty list when nothing is wrong', async () => {
    await world.helium.app('Clinic Visits').run('Nightly:closeOldVisits');
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect(await readAttention(farmer)).toEqual({ items: [], problems: [] });
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
    expect(await readAttention(await world.server.signIn('farm.dev', 'farm'))).toEqual({ items: [], problems: [] });
  });

  it('no longer lists an item that was fixed', async () => {
    const stock = world.helium.app('Stock Room');
    await client.call(lockApp, { appId: stock.id, locked: false });
    expect((await readAttention()).items.filter(({ title }) => title === 'Stock Room')).toEqual([]);
  });

  it('caches the list per session for some seconds', async () => {
    const before = await readAttention();
    const stock = world.helium.app('Stock Room');
    await client.call(lockApp, { appId: stock.id, locked: true });
    expect(await client.call(getAttention, undefined)).toEqual(before);
    expect((await readAttention()).items).toHaveLength(before.items.length + 1);
    await client.call(lockApp, { appId: stock.id, locked: false });
  });

  it('rejects requests without a session', async () => {
    expect((await world.server.client().attempt(getAttention, undefined)).status).toBe(401);
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

  it('reports a problem of many apps once', async () => {
    world.helium.faults.set({ path: 'app-config', mode: 'html' });
    const { items, problems } = await readAttention();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^For 3 of 3 apps, the configuration could not be read:/);
    expect(items.map(({ kind }) => kind)).toEqual(['failing-function']);
  });

  it('an unreachable data source is reported', async () => {
    const [first, ...others] = world.helium.dataSources;
    const away = { ...first, heliumDataSourceName: 'away', url: 'postgres://portal@127.0.0.1:1/away' };
    const environments = [{ name: 'Production', baseUrl: world.baseUrl, dataSources: [away, ...others] }];
    await withServer({ environments }, async (signedIn) => {
      const { items, problems } = await readAttention(signedIn);
      expect(problems).toEqual(['The data source away cannot be reached: connection refused.']);
      expect(items.map(({ kind }) => kind)).toEqual(['disabled-app', 'locked-app']);
    });
  });

  it('an app without a data source is not reported', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    await withServer({ environments }, async (signedIn) => {
      const { items, problems } = await readAttention(signedIn);
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
        route: expect.stringMatching(/^\/deployments\?schedule=\d+$/),
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
    await withServer({ supportRoster, teams }, async (signedIn) => {
      const gaps = async () => (await readAttention(signedIn)).items.filter(({ kind }) => kind === 'roster-gap');
      const [gap, ...others] = await gaps();
      expect(others).toEqual([]);
      expect(gap).toMatchObject({ title: 'Health support', route: '/support-roster/Health%20support' });
      expect(gap?.detail).toMatch(/^No one is on call now, until \w{3} \d+ \w{3} \d\d:\d\d\.$/);
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
    await withServer({ supportRoster: { teams } }, async (signedIn) => {
      const { items, problems } = await readAttention(signedIn);
      expect(problems).toEqual([expect.stringContaining('Farm support')]);
      expect(items.filter(({ kind }) => kind === 'roster-gap')).toEqual([]);
    });
  });
});

it('omits the roster for users whose role may not view it', async () => {
  await withServer({ roles: [{ role: 'viewer', users: ['another-user'] }] }, async (signedIn) => {
    expect(await readAttention(signedIn)).toEqual({ items: [], problems: [] });
  });
});
