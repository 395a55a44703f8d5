/**
 * A complete service in a process of its own, with the real engine: it is fast, and downloads one
 * file of an integration at a time.
 */
import { createLogger } from '@portal/kit/logger';
import { createStartRun } from './engine/run/start-run.ts';
import {
  dataSource,
  environment,
  quickRateLimiter,
  quickTiming,
  quickUnloggedMs,
} from './engine/testing/sync-integration.fixture.ts';
import { ScriptedEngine } from './scripted-engine.fixture.ts';
import { quickRetryLimits, testKey } from './service-config.fixture.ts';
import { configSchema } from './setup/config.ts';
import { createServiceParts, type Engine } from './setup/service-parts.ts';
import { startService } from './start-service.ts';
import { HeliumDatabases } from './sync-state/helium-databases.ts';

export interface EngineServiceCommand {
  /** The portal's database. */
  readonly databaseUrl: string;
  readonly heliumUrl: string;
}

/** The service is ready, or a run of this deployment's integration starts. */
export type EngineServiceMessage = 'ready' | { readonly started: string };

async function start({ databaseUrl, heliumUrl }: EngineServiceCommand): Promise<void> {
  const dataSources = [{ heliumDataSourceName: dataSource, hostname: 'pg-1', dbName: 'apps', url: heliumUrl }];
  const config = configSchema.parse({
    environments: [{ name: environment, baseUrl: 'http://helium.example', dataSources }],
    databaseUrl,
    encryptionKey: testKey,
  });
  const parts = await createServiceParts(config, createLogger({ name: 'sync', level: 'fatal' }));
  const databases = new HeliumDatabases(config.environments, config.sync.connectionsPerDatabase, {
    unloggedEveryMs: quickUnloggedMs,
  });
  const files = { ...quickTiming.files, parallelDownloads: 1 };
  const startRun = createStartRun({ databases, rateLimiter: quickRateLimiter(), timing: { ...quickTiming, files } });
  const engine: Engine = {
    startRun(run) {
      report({ started: run.integration.config.journey.appId });
      return startRun(run);
    },
    operations: new ScriptedEngine().operations,
    stop: () => databases.stop(),
  };
  await startService(parts, engine, { host: '127.0.0.1', port: 0, retryLimits: quickRetryLimits });
  report('ready');
}

function report(message: EngineServiceMessage): void {
  process.send?.(message);
}

process.once('message', (command: EngineServiceCommand) => void start(command));
// Without its parent nothing would stop it.
process.once('disconnect', () => process.exit());
