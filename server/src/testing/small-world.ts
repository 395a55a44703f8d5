import { testPostgresUrl } from '@portal/kit/postgres/test-database';
import { type HeliumSimulator, startHeliumSimulator } from '@portal/platforms/helium/simulator';
import { smallEnvironment } from '@portal/platforms/helium/simulator/small-environment';
import { type FaultyNetwork, startFaultyNetwork } from './faulty-network.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

export interface SmallWorld {
  readonly helium: HeliumSimulator;
  /** Between the two: `network.judge` breaks single calls. */
  readonly network: FaultyNetwork;
  /** The platform's address as the portal knows it. */
  readonly baseUrl: string;
  readonly server: TestServer;
  stop(): Promise<void>;
}

/**
 * A simulated platform with three apps, and the portal in front of it. Nothing happens there by
 * itself.
 */
export async function startSmallWorld(
  options: Partial<TestServerOptions> = {},
  {
    postgresUrl = testPostgresUrl(),
    journeyBaseUrls = [],
  }: { readonly postgresUrl?: string; readonly journeyBaseUrls?: readonly string[] } = {},
): Promise<SmallWorld> {
  const namespace = `w${process.pid}_${Date.now().toString(36)}`;
  const helium = await startHeliumSimulator({
    definition: smallEnvironment,
    postgres: { url: postgresUrl },
    namespace,
    live: false,
  });
  const network = await startFaultyNetwork(helium.baseUrl);
  const { name, timeZone } = smallEnvironment;
  const environment = {
    name,
    timeZone,
    baseUrl: network.url,
    dataSources: [...helium.dataSources],
    teamUsers: helium.teams.map((team) => team.name),
    journeyBaseUrls: [...journeyBaseUrls],
  };
  const server = await startTestServer({ environments: [environment], ...options });
  return {
    helium,
    network,
    baseUrl: network.url,
    server,
    async stop() {
      await server.stop();
      await network.stop();
      await helium.stop({ dropDatabases: true });
    },
  };
}
