import type { App } from '@portal/contract/apps';
import { Unreachable } from '@portal/kit/problems';
import type { ServedEnvironment } from '../../environments.ts';
import type { LogSource } from './log-source.ts';

/** An app's lines from its platform, and from the table the platform writes them to. */
export function platformSource(environment: ServedEnvironment, app: App): LogSource {
  return {
    stream: ({ credentials, signal, onOpen }) =>
      environment.helium.streamLogs({ appId: app.id, credentials: credentials.reveal(), signal, onOpen }),
    async logged() {
      throw new Unreachable('No data source of this app is configured.');
    },
  };
}
