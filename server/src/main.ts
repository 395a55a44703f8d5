import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { closeHttpServer } from '@portal/kit/close-http-server';
import { describeStartError } from '@portal/kit/describe-start-error';
import { createLogger } from '@portal/kit/logger';
import { migrate } from '@portal/kit/postgres/migrate';
import { reportStart } from '@portal/kit/report-start';
import { receiveVariables, takeVariables } from '@portal/kit/secret-variables';
import { registerShutdown, type ShutdownStep } from '@portal/kit/shutdown';
import { useProxies } from '@portal/platforms/outgoing/dispatcher';
import { explainSharedLogins } from '@portal/platforms/shared-logins';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { migrationsFolder } from './database/migrations-folder.ts';
import { createDependencies } from './dependencies.ts';

const pageFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** Registered first, so that the process exits if its parent exits during startup. */
const steps: ShutdownStep[] = [];
registerShutdown({ steps });

/** Starts the server and returns its address. */
async function start(): Promise<string> {
  const host = process.env.HOST || '127.0.0.1';
  const port = Number(process.env.PORT || 8080);
  const config = readConfig(await receiveVariables());
  const logger = createLogger({ name: 'server', level: config.logLevel });
  useProxies(config.sync ? [new URL(config.sync.url).host] : []);
  const risk = explainSharedLogins(config.environments);
  if (risk !== null) logger.warn(risk);
  await migrate(config, migrationsFolder);
  takeVariables(process.env, config.databaseOwnerUrl);
  const dependencies = createDependencies(config, logger);
  await dependencies.audit.start();
  await dependencies.notifications.start();
  dependencies.appChecker.start();
  const app = await buildApp(dependencies, { pageFolder });
  await app.listen({ host, port });
  steps.push(
    // First, in case the process is killed while it waits for responses; responses under way add
    // entries, which the last step writes.
    { name: 'write the audit trail', run: () => dependencies.audit.flush(), limitMs: 500 },
    { name: 'stop listening', run: () => closeHttpServer(app), limitMs: 3_500 },
    {
      name: 'write the audit trail and close the database connections',
      run: () => dependencies.stop(),
      limitMs: 1_000,
    },
  );
  const { address, family, port: taken } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
}

try {
  const address = await start();
  await reportStart('The portal', { type: 'ready', address });
} catch (error) {
  const reason = describeStartError(error, { name: 'server', databaseUser: 'the portal', portVariable: 'PORT' });
  await reportStart('The portal', { type: 'failed', reason });
  process.exit(1);
}
