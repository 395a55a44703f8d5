import { join } from 'node:path';
import { getStablePort } from '@portal/kit/ports';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import type { Lifecycle } from './lifecycle.ts';
import { portsFile, type SystemSettings } from './settings.ts';

/**
 * Starts PostgreSQL unless the configuration has a database. If PostgreSQL is lost, the system
 * stops.
 */
export async function startDatabase(
  { stateDir, needsDatabase }: SystemSettings,
  lifecycle: Lifecycle,
): Promise<PostgresServer | undefined> {
  if (!needsDatabase) return undefined;
  const port = await getStablePort(portsFile(stateDir), 'postgres');
  const postgres = await startPostgres({ dataDir: join(stateDir, 'postgres'), port });
  lifecycle.onShutdown('PostgreSQL', () => postgres.stop());
  void postgres.lost.then((reason) => lifecycle.fail(new Error(reason)));
  return postgres;
}
