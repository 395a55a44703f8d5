import { createEncryption, loadOrCreateEncryptionKey } from '@portal/kit/encryption';
import type { Logger } from '@portal/kit/logger';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import type { HeliumDatabaseTimes } from '@portal/platforms/helium-database/database';
import type { ReachabilityTimes } from '@portal/platforms/reachability';
import { deriveSyncToken } from '@portal/platforms/sync-token';
import { Registry } from 'prom-client';
import { Permissions } from './access/permissions.ts';
import { AuditTrail } from './audit/audit-trail.ts';
import type { Config } from './config.ts';
import { AppDatabases } from './platform/app-databases.ts';
import { ChangeLocks } from './platform/change-locks.ts';
import { Environments } from './platform/environments.ts';
import { AppLists } from './session/app-lists.ts';
import { Callers } from './session/callers.ts';
import { SessionCookie } from './session/session-cookie.ts';
import { Sessions } from './session/sessions.ts';
import { SignInGuard } from './session/sign-in-guard.ts';
import { SyncService } from './sync-service/sync-service.ts';

/** The services that features are built from. */
export interface Dependencies {
  readonly config: Config;
  readonly logger: Logger;
  readonly pool: Pool;
  readonly environments: Environments;
  readonly appDatabases: AppDatabases;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly appLists: AppLists;
  readonly callers: Callers;
  readonly audit: AuditTrail;
  readonly permissions: Permissions;
  readonly locks: ChangeLocks;
  readonly syncService: SyncService;
  readonly freshness: Freshness;
  /** Metrics served at `/metrics`; features register their own. */
  readonly registry: Registry;
  /** Stops everything that outlives a request. */
  stop(): Promise<void>;
}

/** How long platform responses and sessions are cached in memory. Tests set these to zero. */
export interface Freshness {
  readonly sessionMs: number;
  readonly appsMs: number;
  readonly configMs: number;
  readonly attentionMs: number;
  /** How often an open socket checks whether its session has ended. */
  readonly recheckMs: number;
}

const defaultFreshness: Freshness = {
  sessionMs: 3_000,
  appsMs: 30_000,
  configMs: 1_000,
  attentionMs: 5_000,
  recheckMs: 60_000,
};

/** Time limits towards external systems. Tests set shorter ones. */
export interface Times {
  readonly dataSources?: HeliumDatabaseTimes;
  readonly platforms?: ReachabilityTimes;
}

const cleanupIntervalMs = 60_000;

export function createDependencies(
  config: Config,
  logger: Logger,
  freshness = defaultFreshness,
  times: Times = {},
): Dependencies {
  const pool = createPool(config.databaseUrl.reveal(), {
    applicationName: 'portal',
    statementTimeoutMs: 15_000,
    connectTimeoutMs: 5_000,
    logger,
  });
  const environments = new Environments(config.environments, {
    timeoutMs: config.platformTimeoutSeconds * 1000,
    ...(times.platforms && { reachability: times.platforms }),
  });
  const appDatabases = new AppDatabases(environments.all, times.dataSources);
  const encryptionKey = config.encryptionKey ?? loadOrCreateEncryptionKey(config.stateFolder);
  const encryption = createEncryption(encryptionKey);
  const sessions = new Sessions({ pool, encryption, limits: config.session, logger, cacheMs: freshness.sessionMs });
  const cookie = new SessionCookie({ https: config.publicUrl?.startsWith('https:') ?? false });
  const appLists = new AppLists(freshness.appsMs);
  const guard = new SignInGuard(pool, config.signIn);
  const callers = new Callers({ environments, sessions, cookie, appLists, guard });
  const audit = new AuditTrail(pool, logger);
  const permissions = new Permissions(config.roles, audit);
  const locks = new ChangeLocks(config.databaseUrl.reveal());
  const token = deriveSyncToken({ token: config.sync.token, encryptionKey });
  const syncService = new SyncService({ url: config.sync.url, token });

  const cleanup = setInterval(() => {
    Promise.all([sessions.removeExpired(), guard.removeExpired()]).catch((error: unknown) =>
      logger.warn({ err: error }, 'could not remove expired sessions and sign-in failures'),
    );
  }, cleanupIntervalMs).unref();

  return {
    config,
    logger,
    pool,
    environments,
    appDatabases,
    sessions,
    cookie,
    appLists,
    callers,
    audit,
    permissions,
    locks,
    syncService,
    freshness,
    registry: new Registry(),
    async stop() {
      clearInterval(cleanup);
      await audit.flush();
      environments.stop();
      await Promise.all([pool.end(), locks.stop(), appDatabases.stop()]);
    },
  };
}
