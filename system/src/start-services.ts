import { getStablePort } from '@portal/kit/ports';
import type { Lifecycle } from './lifecycle.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { portsFile, type SystemSettings } from './settings.ts';
import { findSyncAddress } from './sync-address.ts';

interface ServicesOptions {
  /** The project's folder. */
  readonly root: string;
  readonly settings: SystemSettings;
  readonly serverPort: number;
  /** Environment variables of both services. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborts services that are still starting. */
  readonly signal: AbortSignal;
}

/**
 * Starts the server, and the sync service unless it runs elsewhere, and waits until both are ready.
 * If either stops, the system stops.
 */
export async function startServices(options: ServicesOptions, lifecycle: Lifecycle): Promise<ServiceProcess> {
  const { root, settings, serverPort, env, signal } = options;
  const sync = await findSyncAddress(settings.syncUrl, () => getStablePort(portsFile(settings.stateDir), 'sync'));
  // Only the server calls the sync service.
  const syncEnv = { ...env, SYNC_PORT: String(sync.port), HOST: '127.0.0.1' };
  const serverEnv = { ...env, PORT: String(serverPort), PORTAL_SYNC_URL: sync.url };
  const [syncService, server] = await Promise.all([
    sync.port === null
      ? undefined
      : startServiceProcess(root, { name: 'sync service', workspace: 'sync' }, syncEnv, signal),
    startServiceProcess(root, { name: 'server', workspace: 'server' }, serverEnv, signal),
  ]);
  if (syncService) {
    lifecycle.onShutdown('sync service', () => syncService.stop());
    void syncService.ended.then(() => lifecycle.fail(new Error('The sync service stopped.')));
  }
  lifecycle.onShutdown('server', () => server.stop());
  void server.ended.then(() => lifecycle.fail(new Error('The server stopped.')));
  return server;
}
