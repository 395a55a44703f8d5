import { describeStartError } from '@portal/kit/describe-start-error';
import { createLogger } from '@portal/kit/logger';
import { migrate } from '@portal/kit/postgres/migrate';
import { reportStart } from '@portal/kit/report-start';
import { receiveVariables, takeVariables } from '@portal/kit/secret-variables';
import { registerShutdown, type ShutdownStep } from '@portal/kit/shutdown';
import { explainUncheckedHosts } from '@portal/platforms/journey/file-hosts';
import { useProxies } from '@portal/platforms/outgoing/dispatcher';
import { explainSharedLogins } from '@portal/platforms/shared-logins';
import { createEngine } from './create-engine.ts';
import { migrationsFolder, migrationTable } from './portal-store/migrations-folder.ts';
import { readConfig } from './setup/config.ts';
import { createServiceParts } from './setup/service-parts.ts';
import { startService } from './start-service.ts';

/** Registered immediately, so that a parent that exits during startup stops this process too. */
const steps: ShutdownStep[] = [];
registerShutdown({ steps });

/** Starts the service and returns its address. */
async function start(): Promise<string> {
  const host = process.env.HOST || '127.0.0.1';
  const port = Number(process.env.SYNC_PORT || 8081);
  const config = readConfig(await receiveVariables());
  const logger = createLogger({ name: 'sync', level: config.logLevel });
  useProxies();
  for (const risk of [explainSharedLogins(config.environments), explainUncheckedHosts(config.sync.fileHosts)])
    if (risk !== null) logger.warn(risk);
  await migrate(config, migrationsFolder, migrationTable);
  takeVariables(process.env, config.databaseOwnerUrl);
  const parts = await createServiceParts(config, logger);
  const service = await startService(parts, createEngine(parts), { host, port });
  steps.push({ name: 'stop the service', run: () => service.stop() });
  return service.address;
}

try {
  const address = await start();
  await reportStart('The sync service', { type: 'ready', address });
} catch (error) {
  const reason = describeStartError(error, {
    name: 'sync service',
    databaseUser: 'the sync service',
    portVariable: 'SYNC_PORT',
  });
  await reportStart('The sync service', { type: 'failed', reason });
  process.exit(1);
}
