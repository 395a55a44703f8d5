import { join } from 'node:path';
import { rememberedPort } from '@portal/kit/ports';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import type { Lifecycle } from './lifecycle.ts';
import { portsFile, type SystemSettings } from './settings.ts';

/** Starts PostgreSQL unless the configuration names a database. The system ends when it is lost. */
export async function startDatabase(
  { stateDir, needsDatabase }: SystemSettings,
  lifecycle: Lifecycle,
): Promise<PostgresServer | undefined> {
  if (!needsDatabase) return undefined;
  const port = await rememberedPort(portsFile(stateDir), 'postgres');
  const postgres = await startPostgres({ dataDir: join(stateDir, 'postgres'), port });
  lifecycle.onShutdown('PostgreSQL', () => postgres.stop());
  void postgres.lost.then((reason) => lifecycle.fail(new Error(reason)));
  return postgres;
}
