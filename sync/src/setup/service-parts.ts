import { createEncryption, loadOrCreateEncryptionKey } from '@portal/kit/encryption';
import type { Logger } from '@portal/kit/logger';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { Invalid } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { shortenValue } from '@portal/kit/shorten-value';
import { deriveSyncToken } from '@portal/platforms/sync-token';
import type { OperatorActions } from '../integration/operator-actions.ts';
import type { StartRun } from '../integration/run-host.ts';
import { Passwords } from '../portal-store/journey-passwords.ts';
import { LogWriter } from '../portal-store/log-writer.ts';
import { Notifications } from '../portal-store/notifications.ts';
import { WebhookReceivers } from '../portal-store/webhooks.store.ts';
import type { Config, EnvironmentConfig } from './config.ts';

/** The engine's interface to the service. */
export interface Engine {
  readonly startRun: StartRun;
  readonly operations: OperatorActions;
  stop(): Promise<void>;
}

/** The dependencies of the service. */
export interface ServiceParts {
  readonly config: Config;
  readonly logger: Logger;
  /** The connections of the engine: leases, status, log lines. */
  readonly pool: Pool;
  /** The connections of API calls. However many wait, integrations keep their leases. */
  readonly apiPool: Pool;
  readonly notifications: Notifications;
  readonly logWriter: LogWriter;
  readonly passwords: Passwords;
  readonly webhooks: WebhookReceivers;
  /** The key of the installation. */
  readonly encryptionKey: Secret;
  /** The token that authenticates the server. */
  readonly token: Secret;
}

/** Creates the dependencies. Throws when the portal's database cannot be reached. */
export async function createServiceParts(config: Config, logger: Logger): Promise<ServiceParts> {
  const encryptionKey = config.encryptionKey ?? loadOrCreateEncryptionKey(config.stateFolder);
  const encryption = createEncryption(encryptionKey);
  const databaseUrl = config.databaseUrl.reveal();
  const poolOptions = { statementTimeoutMs: 15_000, connectTimeoutMs: 5_000, logger };
  const pool = createPool(databaseUrl, { ...poolOptions, applicationName: 'portal sync' });
  const apiPool = createPool(databaseUrl, { ...poolOptions, applicationName: 'portal sync api', max: 6 });
  const url = config.databaseDirectUrl?.reveal() ?? databaseUrl;
  const notifications = new Notifications({ url, pool, logger });
  await notifications.start();
  return {
    config,
    logger,
    pool,
    apiPool,
    notifications,
    logWriter: new LogWriter(pool, logger),
    passwords: new Passwords(pool, encryption),
    encryptionKey,
    webhooks: new WebhookReceivers(apiPool, encryption),
    token: deriveSyncToken({ token: config.sync.token, encryptionKey }),
  };
}

/** Throws Invalid for an environment that is not configured. */
export function requireEnvironment(config: Config, name: string): EnvironmentConfig {
  const environment = config.environments.find((candidate) => candidate.name === name);
  if (!environment) throw new Invalid(`The environment ${shortenValue(name)} is not configured in the sync service.`);
  return environment;
}
