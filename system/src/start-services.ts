import { getStablePort } from '@portal/kit/ports';
import type { Variables } from '@portal/kit/secret-variables';
import { keepRunning } from './keep-running.ts';
import type { Lifecycle } from './lifecycle.ts';
import {
  type ServiceEnvironment,
  type ServiceKind,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts';
import { portsFile, type SystemSettings } from './settings.ts';
import { findSyncAddress } from './sync-address.ts';

interface ServicesOptions {
  /** The project's folder. */
  readonly root: string;
  readonly services: ServiceKind;
  readonly settings: SystemSettings;
  readonly serverPort: number;
  /** The environment of both services. */
  readonly environment: ServiceEnvironment;
  /** A service that is started again waits for its database. */
  readonly waitForDatabase: () => Promise<unknown>;
}

/**
 * Starts the server, and the sync service unless it runs elsewhere, waits until both are ready, and
 * keeps them running at their addresses.
 */
export async function startServices(options: ServicesOptions, lifecycle: Lifecycle): Promise<ServiceProcess> {
  const { root, services: kind, settings, serverPort, environment, waitForDatabase } = options;
  const extend = (env: Variables): ServiceEnvironment => ({ ...environment, env: { ...environment.env, ...env } });
  const { stopping } = lifecycle;
  const sync = await findSyncAddress(settings.syncUrl, () => getStablePort(portsFile(settings.stateDir), 'sync'));
  // Only the server calls the sync service.
  const syncEnv = extend({ SYNC_PORT: String(sync.port), HOST: '127.0.0.1' });
  const startSync = async () => {
    await waitForDatabase();
    return startServiceProcess(root, { name: 'The sync service', workspace: 'sync', kind }, syncEnv, stopping);
  };
  let port = serverPort;
  const startServer = async () => {
    await waitForDatabase();
    const serverEnv = extend({ PORT: String(port), PORTAL_SYNC_URL: sync.url });
    const server = await startServiceProcess(
      root,
      { name: 'The server', workspace: 'server', kind },
      serverEnv,
      stopping,
    );
    // With port 0 the first start chooses a port, which later starts keep.
    port = Number(new URL(server.address).port || 80);
    return server;
  };
  // The server is registered last, so that it stops first.
  const [, server] = await Promise.all([
    sync.port === null ? undefined : keepRunning('The sync service', startSync, lifecycle),
    keepRunning('The server', startServer, lifecycle),
  ]);
  return server.first;
}
