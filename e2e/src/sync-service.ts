import { createLogger } from '@portal/kit/logger';
import { createMigratedDatabase } from '@portal/kit/postgres/test-database';
import { createEngine } from '@portal/sync/create-engine';
import { findIntegrations } from '@portal/sync/portal-store/integrations.store';
import { migrationsFolder, migrationTable } from '@portal/sync/portal-store/migrations-folder';
import { setDesiredStatus } from '@portal/sync/portal-store/status.store';
import { configSchema } from '@portal/sync/setup/config';
import { createServiceParts } from '@portal/sync/setup/service-parts';
import { startService } from '@portal/sync/start-service';
import type { z } from 'zod';

export interface SyncService {
  /** Settings for the configuration of the server in front of it. */
  readonly sync: { readonly url: string; readonly token: string };
  /** Enables or disables an integration without the checks that a user's call makes. */
  setStatus(environment: string, appId: string, event: 'enable' | 'disable'): Promise<void>;
  /** Lets tests of connections succeed from now on, also where Journey is not there. */
  pretendConnections(): void;
  stop(): Promise<void>;
}

/** The real sync service with its own database. */
export async function startSyncService(
  environments: z.input<typeof configSchema>['environments'],
): Promise<SyncService> {
  const database = await createMigratedDatabase(migrationsFolder, migrationTable);
  const config = configSchema.parse({
    environments,
    databaseUrl: database.url,
    encryptionKey: 'e2'.repeat(32),
  });
  const parts = await createServiceParts(config, createLogger({ name: 'sync', level: 'fatal' }));
  const engine = createEngine(parts);
  const service = await startService(parts, engine, { host: '127.0.0.1', port: 0 });
  return {
    sync: { url: service.address, token: parts.token.reveal() },
    async setStatus(environment, appId, event) {
      for (const { id } of await findIntegrations(parts.pool, environment, [appId]))
        await setDesiredStatus(parts.pool, { id, event, by: 'demo' });
    },
    pretendConnections() {
      const reached = { reached: true, message: 'Reached.' };
      const testConnection = async () => ({ helium: reached, journey: reached, problems: [], notes: [] });
      Object.assign(engine.operations, { testConnection });
    },
    async stop() {
      await service.stop();
      await database.drop();
    },
  };
}
