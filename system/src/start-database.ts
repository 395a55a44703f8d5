import { join } from 'node:path';
import { getStablePort } from '@portal/kit/ports';
import { type PostgresServer, startPostgres } from '@portal/kit/postgres/launcher';
import { getServerAccount } from '@portal/kit/postgres/os-account';
import { letPass } from '@portal/kit/private-folder';
import { type KeptPart, keepRunning, type RunningPart } from './keep-running.ts';
import type { Lifecycle } from './lifecycle.ts';
import { listStateFolders, portsFile, type SystemSettings } from './settings.ts';

/** PostgreSQL as a part of the system; a restart changes neither its address nor its passwords. */
interface DatabasePart extends RunningPart {
  readonly postgres: PostgresServer;
}

/** Starts PostgreSQL unless the configuration has a database, and keeps it running. */
export async function startDatabase(
  { stateDir, needsDatabase, demoSize }: SystemSettings,
  lifecycle: Lifecycle,
): Promise<KeptPart<DatabasePart> | undefined> {
  if (!needsDatabase) return undefined;
  // Each simulated app has its own connections.
  const settings: Record<string, string> = demoSize === 'company' ? { max_connections: '500' } : {};
  const port = await getStablePort(portsFile(stateDir), 'postgres');
  const dataDir = join(stateDir, 'postgres');
  const account = getServerAccount(join(dataDir, 'data'));
  if (account) letPass(listStateFolders(stateDir), account);
  let server: PostgresServer | undefined;
  const start = async () => {
    await server?.restart();
    const postgres = server ?? (await startPostgres({ dataDir, port, settings }));
    server = postgres;
    return { postgres, ended: postgres.lost, stop: () => postgres.stop() };
  };
  return keepRunning('PostgreSQL', start, lifecycle);
}
