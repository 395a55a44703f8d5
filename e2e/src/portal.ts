import { fileURLToPath } from 'node:url';
import { HeliumAppConfig, heliumPaths } from '@portal/platforms/helium/wire';
import { startTestServer, type TestServer, type TestServerOptions } from '@portal/server/testing/test-server';
import type { HeliumSimulator, SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { type ReleasesSimulator, startReleasesSimulator } from '@portal/simulators/releases/simulator';
import { journeyAddress } from './create-integration.ts';
import { type Line, openLine } from './network-line.ts';
import { type SyncService, startSyncService } from './sync-service.ts';

/** Settings of the server that a test file may override. */
export type SystemOptions = Partial<Omit<TestServerOptions, 'environments' | 'pageFolder'>>;

/**
 * The whole system, with controls for its parts. Nothing happens automatically: tests run functions
 * and write logs.
 */
export interface Portal {
  /** The address for users; all traffic with the server goes through `line`. */
  readonly origin: string;
  readonly line: Line;
  /** The server reaches the sync service through it. */
  readonly syncLine: Line;
  readonly server: TestServer;
  readonly setSyncStatus: SyncService['setStatus'];
  readonly pretendSyncConnections: SyncService['pretendConnections'];
  /** The platform of all three environments, each with its own address. */
  readonly helium: HeliumSimulator;
  /** The repository of the developer client. */
  readonly releases: ReleasesSimulator;
  app(name: AppName): SimulatedAppHandle;
  /** Returns the app's configuration from the platform, bypassing the portal. */
  configOnPlatform(app: SimulatedAppHandle): Promise<HeliumAppConfig>;
  /** Returns the status of the platform's response to a login to the app. */
  logInToApp(app: SimulatedAppHandle): Promise<number>;
  close(): Promise<void>;
}

type AppName = 'Clinic Visits' | 'Farm Inputs' | 'Stock Room';

const environments = [
  { name: 'Production', color: 'red' },
  { name: 'Zambia-production', color: 'orange' },
  { name: 'Staging', color: 'teal' },
  { name: 'Localhost', color: 'gray' },
] as const;

/** An environment with unreachable databases, to test what the portal does without them. */
const withoutDataSources = 'Zambia-production';
/** An environment without configured databases and teams. */
const unfinished = 'Localhost';

const links = ['Monitoring', 'Infrastructure docs', 'Wiki', 'Tickets', 'Chat'].map((label) => ({
  label,
  url: `https://${label.split(' ')[0]?.toLowerCase()}.example.com/`,
}));

const pageFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

export async function startPortal(options: SystemOptions = {}): Promise<Portal> {
  const helium = await startTestSimulator();
  const releases = await startReleasesSimulator();
  const platformLines = await Promise.all(environments.map(() => openLine({ host: '127.0.0.1', port: helium.port })));
  const configured = environments.map((environment, at) => ({
    ...environment,
    baseUrl: `http://127.0.0.1:${platformLines[at]?.port}`,
    timeZone: 'Africa/Johannesburg',
    journeyBaseUrls: [journeyAddress],
    teamUsers: environment.name === unfinished ? [] : helium.teams.map((team) => team.name),
    dataSources: (environment.name === unfinished ? [] : helium.dataSources).map((source) =>
      environment.name === withoutDataSources
        ? { ...source, hostname: `away-${source.hostname}`, url: 'postgres://nobody@127.0.0.1:1/none' }
        : source,
    ),
  }));
  const syncService = await startSyncService(configured);
  const syncLine = await openLine({ host: '127.0.0.1', port: Number(new URL(syncService.sync.url).port) });
  const server = await startTestServer({
    checksApps: true,
    environments: configured,
    sync: { ...syncService.sync, url: `http://127.0.0.1:${syncLine.port}` },
    links,
    devClient: {
      metadataUrl: releases.metadataUrl,
      clientUrl: releases.clientUrl,
      noUiClientUrl: releases.noUiClientUrl,
      installCommand: `curl -fsSLO ${releases.noUiClientUrl}`,
    },
    pageFolder,
    ...options,
  });
  const line = await openLine({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
  const authorization = `Basic ${Buffer.from('demo:demo').toString('base64')}`;
  return {
    origin: `http://127.0.0.1:${line.port}`,
    line,
    syncLine,
    server,
    setSyncStatus: syncService.setStatus,
    pretendSyncConnections: syncService.pretendConnections,
    helium,
    releases,
    app: (name) => helium.app(name),
    async configOnPlatform({ id }) {
      const response = await fetch(helium.baseUrl + heliumPaths.appConfig(id), { headers: { authorization } });
      return HeliumAppConfig.parse(await response.json());
    },
    async logInToApp({ id }) {
      const response = await fetch(helium.baseUrl + heliumPaths.login(id), {
        method: 'POST',
        headers: { authorization },
      });
      return response.status;
    },
    async close() {
      await line.close();
      await server.stop();
      await syncLine.close();
      await syncService.stop();
      for (const platformLine of platformLines) await platformLine.close();
      await releases.stop();
      await helium.stop({ dropDatabases: true });
    },
  };
}
