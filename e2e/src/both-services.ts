import { startTestServer, type TestServer } from '@portal/server/testing/test-server';
import type { HeliumSimulator } from '@portal/simulators/helium/simulator';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { journeyAddress } from './create-integration.ts';
import { startSyncService } from './sync-service.ts';

export interface BothServices {
  readonly helium: HeliumSimulator;
  readonly server: TestServer;
  /** The address and the token of the sync service. */
  readonly sync: { readonly url: string; readonly token: string };
  /** The session of a user, for the server. */
  readonly cookie: string;
  stop(): Promise<void>;
}

/** Starts the server and the real sync service with a simulated platform. */
export async function startBothServices(): Promise<BothServices> {
  const helium = await startTestSimulator();
  const environment = {
    name: 'Production',
    baseUrl: helium.baseUrl,
    dataSources: [...helium.dataSources],
    teamUsers: helium.teams.map(({ name }) => name),
    journeyBaseUrls: [journeyAddress],
  };
  const syncService = await startSyncService([environment]);
  const { sync } = syncService;
  const server = await startTestServer({ environments: [environment], sync });
  const { cookie = '' } = (await server.signIn('demo', 'demo')).cookieHeaders;
  return {
    helium,
    server,
    sync,
    cookie,
    async stop() {
      await server.stop();
      await syncService.stop();
      await helium.stop({ dropDatabases: true });
    },
  };
}
