import { disableApp, lockApp } from '@portal/contract/app-config';
import { getAttention } from '@portal/contract/attention';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { startTestServer } from '../../testing/test-server.ts';

let world: SmallWorld;
let client: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({ freshness: { attentionMs: 60_000 } });
  client = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());
afterEach(() => world.helium.faults.clear());

const fresh = { 'cache-control': 'no-cache' };
const look = async (who: TestClient = client) => {
  const { status, text } = await who.send('GET', getAttention.path, undefined, fresh);
  expect(status).toBe(200);
  return getAttention.answers.parse(JSON.parse(text));
};
const configPath = (app: string) => `app-config/${world.helium.app(app).id}`;

/** Another portal before the same platform, configured otherwise. */
async function withServer(
  overrides: Partial<Parameters<typeof startTestServer>[0]>,
  work: (signedIn: TestClient) => Promise<void>,
): Promise<void> {
  const environments = [{ name: 'Production', baseUrl: world.baseUrl, dataSources: [...world.helium.dataSources] }];
  const server = await startTestServer({ environments, ...overrides });
  try {
    await work(await server.signIn('demo', 'demo'));
  } finally {
    await server.stop();
  }
}

describe('what needs attention', () => {
  it('is nothing where all is well', async () => {
    await world.helium.app('Clinic Visits').run('Nightly:closeOldVisits');
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect(await look(farmer)).toEqual({ items: [], problems: [] });
  });

  it('is what failed last, and what is disabled or locked, in this order, for those who see the app', async () => {
    const clinic = world.helium.app('Clinic Visits');
    const stock = world.helium.app('Stock Room');
    await clinic.run('Reminders:callGateway');
    await client.call(disableApp, { appId: clinic.id, disabled: true });
    await client.call(lockApp, { appId: clinic.id, locked: true });
    await client.call(lockApp, { appId: stock.id, locked: true });
    const { items, problems } = await look();
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
    expect(await look(await world.server.signIn('farm.dev', 'farm'))).toEqual({ items: [], problems: [] });
  });

  it('is no longer what was put right', async () => {
    const stock = world.helium.app('Stock Room');
    await client.call(lockApp, { appId: stock.id, locked: false });
    expect((await look()).items.filter(({ title }) => title === 'Stock Room')).toEqual([]);
  });

  it('is kept for a session for some seconds', async () => {
    const before = await look();
    const stock = world.helium.app('Stock Room');
    await client.call(lockApp, { appId: stock.id, locked: true });
    expect(await client.call(getAttention, undefined)).toEqual(before);
    expect((await look()).items).toHaveLength(before.items.length + 1);
    await client.call(lockApp, { appId: stock.id, locked: false });
  });

  it('needs a session', async () => {
    expect((await world.server.client().attempt(getAttention, undefined)).status).toBe(401);
  });
});

describe('a part that cannot be looked at', () => {
  it('is told, with how many apps it is about, beside all others', async () => {
    world.helium.faults.set({ path: configPath('Stock Room'), mode: 'error500' });
    const { items, problems } = await look();
    expect(problems).toEqual([
      expect.stringMatching(/^Of 1 of 3 apps the configuration could not be read: .*with status 500\.$/),
    ]);
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['failing-function', 'disabled-app', 'locked-app']));
  });

  it('is told once for many apps', async () => {
    world.helium.faults.set({ path: 'app-config', mode: 'html' });
    const { items, problems } = await look();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^Of 3 of 3 apps the configuration could not be read:/);
    expect(items.map(({ kind }) => kind)).toEqual(['failing-function']);
  });

  it('is a data source that is away', async () => {
    const [first, ...others] = world.helium.dataSources;
    const away = { ...first, heliumDataSourceName: 'away', url: 'postgres://portal@127.0.0.1:1/away' };
    const environments = [{ name: 'Production', baseUrl: world.baseUrl, dataSources: [away, ...others] }];
    await withServer({ environments }, async (signedIn) => {
      const { items, problems } = await look(signedIn);
      expect(problems).toEqual([
        expect.stringMatching(/^Of 2 of 3 apps the results of functions could not be read: .*away cannot be reached/),
      ]);
      expect(items.map(({ kind }) => kind)).toEqual(['disabled-app', 'locked-app']);
    });
  });

  it('is none where no data source has the app', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    await withServer({ environments }, async (signedIn) => {
      const { items, problems } = await look(signedIn);
      expect(problems).toEqual([]);
      expect(items.map(({ kind }) => kind)).toEqual(['disabled-app', 'locked-app']);
    });
  });
});

it('is left out for those whose role may not see it', async () => {
  await withServer({ roles: [{ role: 'viewer', users: ['somebody else'] }] }, async (signedIn) => {
    expect(await look(signedIn)).toEqual({ items: [], problems: [] });
  });
});
