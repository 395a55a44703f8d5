import type { App } from '@portal/contract/apps';
import type { ServedEnvironment } from '../../environments.ts';
import type { LogSource } from './log-source.ts';
import type { LoggedRows } from './logged-rows.ts';

/** An app's lines from its platform, and from the table the platform writes them to. */
export function platformSource(environment: ServedEnvironment, app: App, rows: LoggedRows): LogSource {
  return {
    stream: ({ credentials, signal, onOpen }) =>
      environment.helium.streamLogs({ appId: app.id, credentials: credentials.reveal(), signal, onOpen }),
    logged: (wanted) => rows.read(environment, app.schemaName, wanted),
  };
}
