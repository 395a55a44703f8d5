import type { App } from '@portal/contract/apps';
import { readNewestLogRows } from '@portal/platforms/helium-database/logging-log';
import type { AppDatabases } from '../../../platform/app-databases.ts';
import type { ServedEnvironment } from '../../../platform/environments.ts';
import type { LogSource } from './log-source.ts';

/**
 * Creates a source that reads an app's lines from its platform and from the platform's log table.
 */
export function createAppLogSource(environment: ServedEnvironment, app: App, databases: AppDatabases): LogSource {
  return {
    stream: ({ credentials, signal, onOpen }) =>
      environment.helium.readLog({ appId: app.id, credentials: credentials.reveal(), signal, onOpen }),
    async readRows({ afterMillis, maxRows }) {
      const database = await databases.find(environment, app.schemaName);
      return readNewestLogRows(database, app.schemaName, { afterMillis, maxRows });
    },
  };
}
