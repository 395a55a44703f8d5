import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { type HeliumSimulator, startHeliumSimulator } from '@portal/simulators/helium/simulator';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { type FaultyNetwork, startFaultyNetwork } from './faulty-network.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

export interface SmallWorld {
  readonly helium: HeliumSimulator;
  /** The network between portal and platform; `network.decide` breaks individual calls. */
  readonly network: FaultyNetwork;
  /** The platform's address as the portal sees it. */
  readonly baseUrl: string;
  readonly server: TestServer;
  stop(): Promise<void>;
}

/**
 * Starts a simulated platform with three apps and a portal. Nothing changes unless the test changes
 * it.
 */
export async function startSmallWorld(
  options: Partial<TestServerOptions> = {},
  {
    postgresUrl = getTestPostgresUrl(),
    journeyBaseUrls = [],
    hasSeparateLogins = true,
  }: {
    readonly postgresUrl?: string;
    readonly journeyBaseUrls?: readonly string[];
    /** Otherwise the platform's administrator is the portal's only login. */
    readonly hasSeparateLogins?: boolean;
  } = {},
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
    dataSources: helium.dataSources.map(({ grantUrl, ...shared }) =>
      hasSeparateLogins ? { ...shared, grantUrl } : { ...shared, url: helium.adminUrl(shared.heliumDataSourceName) },
    ),
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
