import { createEncryption, loadOrCreateEncryptionKey } from '@portal/kit/encryption';
import type { Logger } from '@portal/kit/logger';
import { Notifications } from '@portal/kit/postgres/notifications';
import type { Pool } from '@portal/kit/postgres/pool';
import type { HeliumDatabaseTimes } from '@portal/platforms/helium-database/database';
import type { ReachabilityTimes } from '@portal/platforms/reachability';
import { deriveSyncToken } from '@portal/platforms/sync-token';
import { Registry } from 'prom-client';
import { ChangeRights } from './access/change-rights.ts';
import { Permissions } from './access/permissions.ts';
import { AppChecker, type AppCheckerOptions } from './app-checks/app-checker.ts';
import { AppChecks } from './app-checks/app-checks.ts';
import { systemClock } from './app-checks/clock.ts';
import { createDataSource } from './app-checks/data-source.ts';
import { createPlatformSource } from './app-checks/platform-source.ts';
import { AuditTrail } from './audit/audit-trail.ts';
import type { Config } from './config.ts';
import { HeavyWork } from './database/heavy-work.ts';
import { createPortalPools, type PortalPools } from './database/portal-pools.ts';
import { AppDatabases } from './platform/app-databases.ts';
import { ChangeLocks } from './platform/change-locks.ts';
import { Environments } from './platform/environments.ts';
import { deriveStatementIdKey } from './platform/statement-id-key.ts';
import { AppLists } from './session/app-lists.ts';
import { Callers } from './session/callers.ts';
import { KnownDevices } from './session/known-devices.ts';
import { endChannel } from './session/session.store.ts';
import { SessionOrigins } from './session/session-origins.ts';
import { SessionRights } from './session/session-rights.ts';
import { Sessions } from './session/sessions.ts';
import { SignInGuard } from './session/sign-in-guard.ts';
import { createDeviceCookie, createSessionCookie, type TokenCookie } from './session/token-cookie.ts';
import { SyncService } from './sync-service/sync-service.ts';

/** The services that features are built from. */
export interface Dependencies {
  readonly config: Config;
  readonly logger: Logger;
  readonly pools: PortalPools;
  /** The pool of short reads and changes, which is the right one unless there is a reason. */
  readonly pool: Pool;
  readonly heavyWork: HeavyWork;
  readonly environments: Environments;
  readonly appDatabases: AppDatabases;
  readonly sessions: Sessions;
  /** Notifies of sessions that end on other nodes. */
  readonly notifications: Notifications<'sessionEnd'>;
  readonly cookie: TokenCookie;
  readonly devices: KnownDevices;
  readonly deviceCookie: TokenCookie;
  readonly appLists: AppLists;
  readonly callers: Callers;
  readonly rights: SessionRights;
  readonly audit: AuditTrail;
  readonly permissions: Permissions;
  readonly locks: ChangeLocks;
  readonly syncService: SyncService;
  readonly appChecks: AppChecks;
  readonly appChecker: AppChecker;
  readonly freshness: Freshness;
  /** Metrics served at `/metrics`; features register their own. */
  readonly registry: Registry;
  /** Stops everything that outlives a request. */
  stop(): Promise<void>;
}

/**
 * How long responses of other systems and sessions are cached in memory. Tests set these to zero.
 */
export interface Freshness {
  readonly sessionMs: number;
  readonly appsMs: number;
  readonly configMs: number;
  readonly rightsMs: number;
  /** Of what home shows of the sync integrations. */
  readonly syncsMs: number;
  /** How often the node checks whether the sessions of its open sockets have expired. */
  readonly recheckMs: number;
}

export const defaultFreshness: Freshness = {
  sessionMs: 3_000,
  appsMs: 30_000,
  configMs: 1_000,
  rightsMs: 60_000,
  syncsMs: 5_000,
  recheckMs: 3_000,
};

/**
 * Time limits towards external systems, and the pace of background work. Tests set shorter ones.
 */
export interface Times {
  readonly dataSources?: HeliumDatabaseTimes;
  readonly platforms?: ReachabilityTimes;
  readonly appChecks?: Pick<AppCheckerOptions, 'clock'>;
}

const cleanupIntervalMs = 60_000;

export function createDependencies(
  config: Config,
  logger: Logger,
  freshness = defaultFreshness,
  times: Times = {},
): Dependencies {
  const pools = createPortalPools(config.databaseUrl.reveal(), logger);
  const environments = new Environments(config.environments, {
    timeoutMs: config.platformTimeoutSeconds * 1000,
    ...(times.platforms && { reachability: times.platforms }),
  });
  const encryptionKey = config.encryptionKey ?? loadOrCreateEncryptionKey(config.stateFolder);
  const keys = { appLogins: encryptionKey, statementIds: deriveStatementIdKey(encryptionKey) };
  const appDatabases = new AppDatabases(environments.all, keys, times.dataSources);
  const encryption = createEncryption(encryptionKey);
  const sessions = new Sessions({
    pool: pools.session,
    encryption,
    limits: config.session,
    logger,
    cacheMs: freshness.sessionMs,
  });
  const notifications = new Notifications({
    channels: { sessionEnd: endChannel },
    checkChannel: 'session_check',
    applicationName: 'portal listens',
    url: (config.databaseDirectUrl ?? config.databaseUrl).reveal(),
    pool: pools.session,
    logger,
  });
  const https = config.publicUrl?.startsWith('https:') ?? false;
  const cookie = createSessionCookie({ https });
  const deviceCookie = createDeviceCookie({ https });
  const appLists = new AppLists(freshness.appsMs);
  const devices = new KnownDevices(pools.session);
  const guard = new SignInGuard({ pool: pools.session, limits: config.signIn, devices, logger });
  const audit = new AuditTrail(pools.session, logger);
  const rights = new SessionRights({
    sessions,
    logger,
    auditEnd: (session) =>
      audit.write(session, {
        action: 'session.end',
        resource: { kind: 'session', id: session.sessionId },
        description: 'Session ended, because the platform no longer accepts the password',
        outcome: 'done',
      }),
  });
  const origins = new SessionOrigins({ pool: pools.session, audit, logger });
  const callers = new Callers({ environments, sessions, cookie, appLists, guard, rights, origins, audit });
  const changeRights = new ChangeRights(freshness.rightsMs);
  const permissions = new Permissions({ roles: config.roles, teams: config.teams, rights: changeRights, audit });
  const locks = new ChangeLocks(config.databaseUrl.reveal());
  const token = deriveSyncToken({ token: config.sync.token, encryptionKey });
  const syncService = new SyncService({ url: config.sync.url, token });
  const appChecks = { clock: systemClock, ...times.appChecks };
  const { light: pool } = pools;
  const appChecker = new AppChecker({
    pool,
    logger,
    sources: environments.all.flatMap((environment) => [
      createPlatformSource(environment, { pool, sessions, clock: appChecks.clock }),
      ...appDatabases
        .all(environment)
        .map((database) => createDataSource(environment, database, { appDatabases, clock: appChecks.clock })),
    ]),
    ...appChecks,
  });

  const cleanup = setInterval(() => {
    Promise.all([sessions.removeExpired(), guard.removeExpired(), devices.removeExpired()]).catch((error: unknown) =>
      logger.warn({ err: error }, 'could not remove expired sessions, sign-in failures and devices'),
    );
  }, cleanupIntervalMs).unref();
  // While the database is unavailable, the sessions cannot be checked; the next check will.
  const checkSessions = () => void sessions.checkWatched().catch(() => undefined);
  const watch = setInterval(checkSessions, freshness.recheckMs).unref();
  notifications.on('sessionEnd', (id) => sessions.announceEnd(id));
  notifications.onMissed(checkSessions);

  return {
    config,
    logger,
    pools,
    pool,
    heavyWork: new HeavyWork(pools.heavy),
    environments,
    appDatabases,
    sessions,
    notifications,
    cookie,
    devices,
    deviceCookie,
    appLists,
    callers,
    rights,
    audit,
    permissions,
    locks,
    syncService,
    appChecks: new AppChecks(pool, logger),
    appChecker,
    freshness,
    registry: new Registry(),
    async stop() {
      clearInterval(cleanup);
      clearInterval(watch);
      await appChecker.stop();
      await notifications.stop();
      await audit.stop();
      environments.stop();
      await Promise.all([pools.stop(), locks.stop(), appDatabases.stop()]);
    },
  };
}
