import { createEncryption, type Encryption, keepEncryptionKey } from '@portal/kit/encryption';
import type { Logger } from '@portal/kit/logger';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { Invalid, NotFound } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { syncTokenOf } from '@portal/platforms/sync-token';
import type { EngineDesk } from './api/engine-desk.ts';
import type { Config, EnvironmentConfig } from './config.ts';
import type { StartRun } from './integrations/run.ts';
import { readSealedPassword, type StoredIntegration } from './store/integrations.store.ts';
import { LogWriter } from './store/log-writer.ts';
import { Notifications } from './store/notifications.ts';

/** What the engine gives the service. */
export interface Engine {
  readonly startRun: StartRun;
  readonly desk: EngineDesk;
  stop(): Promise<void>;
}

/** What the service is built from. */
export interface ServiceParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly pool: Pool;
  readonly notifications: Notifications;
  readonly lines: LogWriter;
  readonly passwords: Passwords;
  /** What the server proves itself with. */
  readonly token: Secret;
}

/** Throws when the portal's database cannot be reached. */
export async function createServiceParts(config: Config, logger: Logger): Promise<ServiceParts> {
  const encryptionKey = config.encryptionKey ?? keepEncryptionKey(config.stateFolder);
  const databaseUrl = config.databaseUrl.reveal();
  const pool = createPool(databaseUrl, {
    applicationName: 'portal sync',
    statementTimeoutMs: 15_000,
    connectTimeoutMs: 5_000,
    logger,
  });
  const notifications = new Notifications(databaseUrl, logger);
  await notifications.start();
  return {
    config,
    logger,
    pool,
    notifications,
    lines: new LogWriter(pool, logger),
    passwords: new Passwords(pool, createEncryption(encryptionKey)),
    token: syncTokenOf({ token: config.sync.token, encryptionKey }),
  };
}

/** Journey's passwords: encrypted at rest, each bound to its integration's app. */
export class Passwords {
  readonly #pool: Pool;
  readonly #encryption: Encryption;

  constructor(pool: Pool, encryption: Encryption) {
    this.#pool = pool;
    this.#encryption = encryption;
  }

  seal(password: Secret, of: Pick<StoredIntegration, 'environment' | 'appId'>): Buffer {
    return this.#encryption.encrypt(password.reveal(), placeOf(of));
  }

  /** Throws NotFound when the integration is gone, Invalid when its password was kept under another key. */
  async read(integration: StoredIntegration): Promise<Secret> {
    const sealed = await readSealedPassword(this.#pool, integration.no);
    if (!sealed) throw new NotFound(`There is no integration for ${integration.appId} any more.`);
    try {
      return new Secret(this.#encryption.decrypt(sealed, placeOf(integration)));
    } catch (cause) {
      const whose = `The Journey password of ${integration.appId}`;
      throw new Invalid(`${whose} was kept under another encryption key and cannot be read: enter it again.`, {
        cause,
      });
    }
  }
}

function placeOf({ environment, appId }: Pick<StoredIntegration, 'environment' | 'appId'>): string {
  return `sync ${JSON.stringify([environment, appId])}`;
}

/** Throws Invalid for an environment that is not configured here. */
export function requireEnvironment(config: Config, name: string): EnvironmentConfig {
  const environment = config.environments.find((candidate) => candidate.name === name);
  if (!environment) throw new Invalid(`The sync service does not know the environment ${name}.`);
  return environment;
}
