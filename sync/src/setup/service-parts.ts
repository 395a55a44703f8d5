import { createEncryption, loadOrCreateEncryptionKey } from '@portal/kit/encryption';
import type { Logger } from '@portal/kit/logger';
import { DatabaseSilence, type SilenceLimits } from '@portal/kit/postgres/database-silence';
import { closeDeadConnections } from '@portal/kit/postgres/dead-connections';
import { OpenConnections } from '@portal/kit/postgres/open-connections';
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
  /** Closes the connections of both pools when the database does not answer. */
  readonly silence: DatabaseSilence;
  readonly notifications: Notifications;
  readonly logWriter: LogWriter;
  readonly passwords: Passwords;
  readonly webhooks: WebhookReceivers;
  /** The key of the installation. */
  readonly encryptionKey: Secret;
  /** The token that authenticates the server. */
  readonly token: Secret;
}

/** Leases end sooner, so nothing runs any more when the connections are closed. */
export const portalSilenceLimits: SilenceLimits = { noticedMs: 3_000, deadMs: 5_000 };

/** Creates the dependencies. Throws when the portal's database cannot be reached. */
export async function createServiceParts(
  config: Config,
  logger: Logger,
  silenceLimits = portalSilenceLimits,
): Promise<ServiceParts> {
  const encryptionKey = config.encryptionKey ?? loadOrCreateEncryptionKey(config.stateFolder);
  const encryption = createEncryption(encryptionKey);
  const databaseUrl = config.databaseUrl.reveal();
  const poolOptions = { statementTimeoutMs: 15_000, connectTimeoutMs: 5_000, logger };
  const connections = new OpenConnections();
  const open = (options: { readonly applicationName: string; readonly max?: number }) =>
    closeDeadConnections(connections.follow(createPool(databaseUrl, { ...poolOptions, ...options })));
  const pool = open({ applicationName: 'portal sync' });
  const apiPool = open({ applicationName: 'portal sync api', max: 6 });
  const silence = new DatabaseSilence(silenceLimits, () => connections.close());
  silence.listen((sinceMs) => {
    if (sinceMs === null) logger.info("the portal's database answers again");
    else logger.warn({ since: new Date(sinceMs).toISOString() }, "the portal's database does not answer");
  });
  const url = config.databaseDirectUrl?.reveal() ?? databaseUrl;
  const notifications = new Notifications({ url, pool, logger });
  await notifications.start();
  return {
    config,
    logger,
    pool,
    apiPool,
    silence,
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
