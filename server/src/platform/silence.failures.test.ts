import { request } from 'node:http';
import { disableApp, getConfig, lockApp } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAttention } from '@portal/contract/attention';
import { createCalendarFeed, getSchedules } from '@portal/contract/deployments';
import type { Endpoint, RequestOf } from '@portal/contract/endpoint';
import { getScheduledFunctionResults, toggleScheduledEvent } from '@portal/contract/scheduled-functions';
import { getAccessHistory, getAppSchemas, migrateApp, planAccess } from '@portal/contract/schema-access';
import { getSession } from '@portal/contract/session';
import { getOnCall } from '@portal/contract/support-roster';
import { withBase } from '@portal/contract/sync/base';
import { listIntegrations, setEnabled } from '@portal/contract/sync/integration';
import { type ByteRelay, startByteRelay } from '@portal/kit/byte-relay.fixture';
import type { ReachabilityTimes } from '@portal/platforms/reachability';
import type { SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Times } from '../dependencies.ts';
import {
  createIntegration,
  type ScriptedSyncService,
  startScriptedSyncService,
} from '../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem, type TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
/** In the data source behind the relay. */
let clinic: SimulatedAppHandle;
/** In another data source. */
let stock: SimulatedAppHandle;
let relay: ByteRelay;
let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld();
  clinic = world.helium.app('Clinic Visits');
  stock = world.helium.app('Stock Room');
  service.script('POST /api/list', () => [
    createIntegration(stock, { status: 'Halted', haltReason: 'The password was refused.' }),
  ]);
  await clinic.run('Reminders:callGateway');
  await runSql(
    stock.url,
    `insert into __scheduled_function_result__
       (_id_, _tstamp_, datetimestampstarted, datetimestampfinished, qualifiedname, success, error)
     values (gen_random_uuid(), now(), now(), now(), 'Stock:importDeliveries', false, 'No space left')`,
  );
  await (await world.server.signIn('demo', 'demo')).call(lockApp, { appId: stock.id, locked: true });
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
afterEach(async () => {
  world.helium.faults.clear();
  relay.resume();
  await server.stop();
  await relay.stop();
});

/** Starts a portal whose first data source is behind the relay. */
async function start({
  platformTimeoutSeconds = 60,
  times = {},
}: {
  readonly platformTimeoutSeconds?: number;
  readonly times?: Times;
} = {}): Promise<void> {
  const [first, second] = world.helium.dataSources;
  if (!first || !second) throw new Error('a data source is missing');
  const url = new URL(first.url);
  relay = await startByteRelay(Number(url.port));
  url.port = `${relay.port}`;
  server = await startTestServer({
    environments: [
      {
        name: 'Production',
        timeZone: 'Africa/Johannesburg',
        baseUrl: world.baseUrl,
        dataSources: [{ ...first, url: url.href }, second],
        teamUsers: world.helium.teams.map(({ name }) => name),
      },
    ],
    sync: service.sync,
    platformTimeoutSeconds,
    times,
  });
  client = await server.signIn('demo', 'demo');
}

async function runSql(url: string, sql: string): Promise<pg.QueryResult> {
  const own = new pg.Client(url);
  await own.connect();
  try {
    return await own.query(sql);
  } finally {
    await own.end();
  }
}

const readHome = async () => {
  await client.call(getAttention, undefined);
  await server.dependencies.appChecker.checkAll();
  const { items, problems } = await client.call(getAttention, undefined);
  return { lines: items.map(({ kind, title }) => `${kind} ${title}`), problems };
};
const everything = [
  'halted-sync Stock Room',
  'failing-function Clinic Visits',
  'failing-function Stock Room',
  'locked-app Stock Room',
];
const inAnyOrder = (lines: readonly string[]) => [...lines].sort();
const neverProbing = { firstProbeMs: 3_600_000 };

describe('silent data source', () => {
  const times = (reachability: ReachabilityTimes): Times => ({
    // Long enough for a statement on a busy machine; connections may take much longer.
    dataSources: { statementTimeoutMs: 500, graceMs: 100, connectTimeoutMs: 20_000, reachability },
  });
  const readResults = (app: SimulatedAppHandle) => client.attempt(getScheduledFunctionResults, { uuid: app.id });

  it('is found by one call, after which its calls fail without using the network and all others work', async () => {
    await start({ times: times(neverProbing) });
    expect((await readResults(clinic)).status).toBe(200);
    relay.stall();
    expect((await readResults(clinic)).status).toBe(504);
    const connections = relay.connectionCount();
    const since = /^The data source helium-app-1 has not answered since \d\d:\d\d\.$/;
    const response = await readResults(clinic);
    expect([response.status, parseProblem(response).message]).toEqual([502, expect.stringMatching(since)]);
    const schemas = await client.attempt(getAppSchemas, { environment: 'Production', dataSource: 'helium-app-1' });
    expect(parseProblem(schemas).message).toMatch(since);
    expect((await readResults(stock)).status).toBe(200);
    expect(relay.connectionCount()).toBe(connections);
  });

  it('is one line at home, next to everything elsewhere and what was last found in it', async () => {
    await start({ times: times(neverProbing) });
    const before = await readHome();
    expect(before.problems).toEqual([]);
    expect(inAnyOrder(before.lines)).toEqual(inAnyOrder(everything));
    relay.stall();
    expect(inAnyOrder((await readHome()).lines)).toEqual(inAnyOrder(everything));
    const connections = relay.connectionCount();
    const later = await readHome();
    expect(inAnyOrder(later.lines)).toEqual(inAnyOrder(everything));
    expect(later.problems).toEqual([
      expect.stringMatching(
        /^The data source helium-app-1 has not answered since \d\d:\d\d\. What is shown of these apps is from \d\d:\d\d\.$/,
      ),
    ]);
    expect(relay.connectionCount()).toBe(connections);
  });

  it('is found back by a probe', async () => {
    await start({ times: times({ firstProbeMs: 20, maxProbePauseMs: 20 }) });
    await readHome();
    relay.stall();
    expect((await readResults(clinic)).status).toBe(504);
    expect((await readResults(clinic)).status).toBe(502);
    relay.resume();
    await expect.poll(readHome).toMatchObject({ problems: [] });
    expect((await readResults(clinic)).status).toBe(200);
  });
});

describe('silent platform', () => {
  /** Starts a portal, reads home, and makes the platform hang until the portal has noticed. */
  async function startSilent(reachability: ReachabilityTimes): Promise<void> {
    await start({ platformTimeoutSeconds: 1, times: { platforms: reachability } });
    await readHome();
    world.helium.faults.set({ mode: 'hang' });
    await client.attempt(getConfig, { appId: stock.id });
    expect(server.dependencies.environments.all[0]?.helium.silence).toBeDefined();
  }

  it('leaves the last app list for reading, and home keeps its lines', async () => {
    await startSilent(neverProbing);
    expect(await client.call(getApps, {})).toHaveLength(3);
    for (const app of [clinic, stock]) {
      expect((await client.attempt(getScheduledFunctionResults, { uuid: app.id })).status).toBe(200);
    }
    const integrations = await client.call(withBase('/sync/api/', listIntegrations), {});
    expect(integrations.map(({ id }) => id)).toEqual([stock.id]);
    const { lines, problems } = await readHome();
    expect(inAnyOrder(lines)).toEqual(inAnyOrder(everything));
    expect(problems).toEqual([
      expect.stringMatching(
        /^The Helium platform 127\.0\.0\.1:\d+ has not answered since \d\d:\d\d\. The apps shown are those of \d\d:\d\d\.$/,
      ),
    ]);
  });

  it('leaves the session and what the portal stores itself to a user whose apps it no longer knows', async () => {
    await startSilent(neverProbing);
    const { appLists, sessions } = server.dependencies;
    // As after ten minutes, or on a server that has just started.
    for (const { id } of await sessions.list('Production')) appLists.invalidate(id);
    expect(await client.call(getSession, undefined)).toMatchObject({ username: 'demo' });
    expect(await client.call(getOnCall, {})).toEqual([]);
    expect(await client.call(getSchedules, undefined)).toEqual([]);
    const refused = [
      await client.attempt(getApps, {}),
      await client.attempt(getConfig, { appId: clinic.id }),
      await client.attempt(getScheduledFunctionResults, { uuid: clinic.id }),
      await client.attempt(withBase('/sync/api/', listIntegrations), {}),
      await client.attempt(createCalendarFeed, undefined),
    ];
    for (const response of refused) {
      expect(response.status).toBe(502);
      expect(parseProblem(response).message).toContain('has not answered since');
    }
  });

  it('ends a session that the platform rejects as soon as it answers', async () => {
    await startSilent({ firstProbeMs: 20, maxProbePauseMs: 20 });
    for (const { id } of await server.dependencies.sessions.list('Production'))
      server.dependencies.appLists.invalidate(id);
    expect((await client.attempt(getSession, undefined)).status).toBe(200);
    world.helium.faults.set({ path: '/v2/app', mode: 'error500', status: 401 });
    await expect.poll(async () => (await client.attempt(getSession, undefined)).status).toBe(401);
    world.helium.faults.clear();
    expect((await client.attempt(getSession, undefined)).status).toBe(401);
  });

  it('refuses changes of apps in words, whatever system they concern', async () => {
    await startSilent(neverProbing);
    const appId = clinic.id;
    const [teamUser = ''] = world.helium.teams.map(({ name }) => name);
    const attempts = [
      client.attempt(disableApp, { appId, disabled: true }),
      client.attempt(toggleScheduledEvent, { appId, scheduledEvent: 'Nightly:closeOldVisits', state: 'Disabled' }),
      client.attempt(migrateApp, { appId, teamUser }),
      client.attempt(withBase('/sync/api/', setEnabled), { appIds: [stock.id], enabled: true }),
    ];
    for (const response of await Promise.all(attempts)) {
      expect(response.status).toBe(502);
      expect(parseProblem(response).message).toMatch(
        /^The Helium platform 127\.0\.0\.1:\d+ has not answered since \d\d:\d\d\. Changes are not possible until it does\.$/,
      );
    }
  });

  it('shows nothing to a caller whose apps were never read', async () => {
    await startSilent(neverProbing);
    const response = await server.client().attempt(getApps, {
      credentials: { userName: 'farm.dev', password: 'farm' },
      baseUrl: world.baseUrl,
    });
    expect(parseProblem(response).message).toContain('has not answered since');
  });

  it('is found back by a probe, and changes work again', async () => {
    await startSilent({ firstProbeMs: 20, maxProbePauseMs: 20 });
    world.helium.faults.clear();
    await expect.poll(readHome).toMatchObject({ problems: [] });
    expect((await client.attempt(lockApp, { appId: stock.id, locked: true })).status).toBe(200);
  });
});

describe('caller that disconnects', () => {
  let holder: pg.Client;

  beforeEach(async () => {
    await start();
    holder = new pg.Client(clinic.url);
    await holder.connect();
  });
  afterEach(() => holder.end());

  const hold = (table: string) => holder.query(`begin; lock table ${table} in access exclusive mode`);
  const countStatements = async () => {
    const { rows } = await runSql(
      clinic.adminUrl,
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name = 'portal' and state <> 'idle'`,
    );
    return rows[0]?.count;
  };
  /** Calls an endpoint like a page that is closed when `leave` is called. */
  function open<E extends Endpoint>({ method, path }: E, input: RequestOf<E>): { readonly leave: () => void } {
    const headers = { ...client.cookieHeaders, 'content-type': 'application/json' };
    const call = request(server.url + path, { method, headers, agent: false });
    call.on('error', () => undefined);
    call.end(method === 'GET' ? undefined : JSON.stringify(input));
    return { leave: () => call.destroy() };
  }

  it('leaves no statement for the results of functions at the data source', async () => {
    await hold('__scheduled_function_result__');
    const page = open(getScheduledFunctionResults, { uuid: clinic.id });
    await expect.poll(countStatements).toBe(1);
    page.leave();
    await expect.poll(countStatements).toBe(0);
    expect(server.logged()).not.toContain('unexpected error');
  });

  it('leaves no dry run of a grant at the data source', async () => {
    await hold('visit');
    const [teamUser = ''] = world.helium.teams.map(({ name }) => name);
    const page = open(planAccess, { appId: clinic.id, teamUser });
    await expect.poll(countStatements).toBe(1);
    page.leave();
    await expect.poll(countStatements).toBe(0);
  });

  it('does not end a grant halfway', async () => {
    await hold('visit');
    const [teamUser = ''] = world.helium.teams.map(({ name }) => name);
    const page = open(migrateApp, { appId: clinic.id, teamUser });
    await expect.poll(countStatements).toBe(1);
    page.leave();
    await holder.query('rollback');
    await expect.poll(() => client.call(getAccessHistory, {})).toMatchObject([{ state: 'granted', team: teamUser }]);
  });
});
