import { getApps } from '@portal/contract/apps';
import type { Endpoint } from '@portal/contract/endpoint';
import { endpoints } from '@portal/contract/endpoints';
import { deleteSession, makeSessionReadOnly } from '@portal/contract/session';
import { switchEnvironment } from '@portal/contract/session-choices';
import { type SyncBase, syncBases, withBase } from '@portal/contract/sync/base';
import { saveSyncDashboard } from '@portal/contract/sync/dashboards';
import { syncEndpoints } from '@portal/contract/sync/endpoints';
import type { SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import type { RoleGrant } from '../config.ts';
import { buildRequest, type NamedSubjects } from '../testing/build-request.ts';
import { type ScriptedSyncService, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import type { TestClient, TestResponse } from '../testing/test-client.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts';

const productionBase: SyncBase = '/sync/api/';
export const stagingBase: SyncBase = '/sync-stb/api/';

export const roles: RoleGrant[] = [
  { role: 'viewer', users: ['viewer'] },
  { role: 'operator', users: ['health.dev', 'farm.dev'] },
  { role: 'admin', users: ['demo'] },
];

const all: readonly Endpoint[] = endpoints;

export const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;

/** They start or end a session, or change what it may do. */
const sessionCalls = [getApps, makeSessionReadOnly, switchEnvironment, deleteSession].map(nameOf);
/** A saved dashboard is the caller's own, and a session that ended makes no other call. */
const last = [nameOf(saveSyncDashboard), ...sessionCalls];

/** Every call at every base. */
export const allCalls: readonly Endpoint[] = [
  ...all.filter(({ base }) => base === undefined),
  ...syncBases.flatMap((base) => syncEndpoints.map((each) => withBase(base, each))),
].toSorted((a, b) => last.indexOf(nameOf(a)) - last.indexOf(nameOf(b)));

/** Every call at every base, except those that start or end a session, or change what it may do. */
export const calls = allCalls.filter((each) => !sessionCalls.includes(nameOf(each)));

/** Whether callers of Production reach it. */
export const isReachable = ({ base }: { readonly base?: SyncBase | undefined }) =>
  base === undefined || base === productionBase;

export interface WalkWorld {
  readonly world: SmallWorld;
  readonly service: ScriptedSyncService;
  /** Names what calls are about: of this app, and of the team. */
  name(app: SimulatedAppHandle, team: string): NamedSubjects;
  /** Starts a portal for two environments. */
  serve(options?: Partial<TestServerOptions>): Promise<TestServer>;
  stop(): Promise<void>;
}

/** Starts what every call can be sent to. */
export async function startWalkWorld(): Promise<WalkWorld> {
  const service = await startScriptedSyncService();
  const world = await startSmallWorld();
  const { helium, network } = world;
  const [dataSource] = helium.dataSources;
  const production = {
    name: 'Production',
    baseUrl: network.url,
    dataSources: [...helium.dataSources],
    teamUsers: helium.teams.map(({ name }) => name),
    journeyBaseUrls: ['https://run-testing-us.journeyapps.com'],
  };
  return {
    world,
    service,
    name: (app, team) => ({
      app: app.id,
      apps: [app.id],
      dashboard: 'Walk',
      dataSource: dataSource?.heliumDataSourceName ?? '',
      databaseHost: dataSource?.hostname ?? '',
      grant: '1',
      integration: 'https://helium.example.com',
      schedule: 'null',
      schema: app.schemaName,
      team,
    }),
    serve: (options) =>
      startTestServer({
        environments: [production, { name: 'Staging', baseUrl: helium.baseUrl }],
        sync: service.sync,
        supportRoster: { teams: [{ name: 'Portal' }, { name: 'Other' }] },
        ...options,
      }),
    async stop() {
      await world.stop();
      await service.stop();
    },
  };
}

export async function send(client: TestClient, endpoint: Endpoint, named: NamedSubjects): Promise<TestResponse> {
  const { path, body } = buildRequest(endpoint, named);
  return client.send(endpoint.method, path, body);
}

/** Sends calls and returns those whose status is not as expected. */
export async function findUnexpected(
  client: TestClient,
  named: NamedSubjects,
  isExpected: (endpoint: Endpoint, status: number) => boolean,
  which: readonly Endpoint[] = calls,
): Promise<string[]> {
  const unexpected: string[] = [];
  for (const endpoint of which) {
    const { status, text } = await send(client, endpoint, named);
    if (!isExpected(endpoint, status)) unexpected.push(`${nameOf(endpoint)}: ${status} ${text.slice(0, 200)}`);
  }
  return unexpected;
}
