import { type HeliumSimulator, startHeliumSimulator } from '@portal/platforms/helium/simulator';
import { SMALL_ENVIRONMENT } from '@portal/platforms/helium/simulator/small-environment';
import { inject } from 'vitest';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

export interface SmallWorld {
  readonly helium: HeliumSimulator;
  readonly server: TestServer;
  stop(): Promise<void>;
}

/** A simulated platform with three apps, and the portal in front of it. Nothing happens there by itself. */
export async function startSmallWorld(options: Partial<TestServerOptions> = {}): Promise<SmallWorld> {
  const namespace = `w${process.pid}_${Date.now().toString(36)}`;
  const helium = await startHeliumSimulator({
    definition: SMALL_ENVIRONMENT,
    postgres: { url: inject('postgresUrl') },
    namespace,
    live: false,
  });
  const { name, timeZone } = SMALL_ENVIRONMENT;
  const environment = { name, timeZone, baseUrl: helium.baseUrl, dataSources: [...helium.dataSources] };
  const server = await startTestServer({ environments: [environment], ...options });
  return {
    helium,
    server,
    async stop() {
      await server.stop();
      await helium.stop({ dropDatabases: true });
    },
  };
}
