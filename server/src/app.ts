import cookie from '@fastify/cookie';
import type { SyncBase } from '@portal/contract/sync/base';
import { createHttpApp } from '@portal/edge/http-app';
import { defaultHttpLimits, type HttpLimits } from '@portal/edge/http-limits';
import { numberRequests } from '@portal/edge/request-id';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CallSlots } from './access/call-slots.ts';
import { Enforcer } from './access/enforcer.ts';
import { createFinders, type Finders } from './access/subjects.ts';
import type { Dependencies } from './dependencies.ts';
import { apiPageRoutes } from './features/api-page/api-page.routes.ts';
import { appConfigRoutes } from './features/app-config/app-config.routes.ts';
import { attentionRoutes } from './features/attention/attention.routes.ts';
import { deploymentsToday } from './features/attention/deployments-today.ts';
import { rosterGaps } from './features/attention/roster-gaps.ts';
import { unhealthySyncs } from './features/attention/unhealthy-syncs.ts';
import { auditRoutes } from './features/audit/audit.routes.ts';
import { dbSpyFeature } from './features/db-spy/db-spy-feature.ts';
import { databaseHostFinder } from './features/db-spy/reset/database-host.ts';
import { calendarRoutes } from './features/deployments/calendar.routes.ts';
import { deploymentsRoutes } from './features/deployments/deployments.routes.ts';
import { releasePageRoutes } from './features/deployments/release-page.routes.ts';
import { scheduleFinder } from './features/deployments/save-schedule.ts';
import { listOpenBetween } from './features/deployments/schedules.store.ts';
import { devClientRoutes } from './features/dev-client/dev-client.routes.ts';
import { doctorRoutes } from './features/doctor/doctor.routes.ts';
import { environmentsRoutes } from './features/environments/environments.routes.ts';
import { healthRoutes } from './features/health/health.routes.ts';
import { logsFeature } from './features/logs/viewers/logs.socket.ts';
import { metricsRoutes } from './features/metrics/metrics.routes.ts';
import { scheduledFunctionsRoutes } from './features/scheduled-functions/scheduled-functions.routes.ts';
import { toggleFunction } from './features/scheduled-functions/toggle-function.ts';
import { anySchemaFinder, schemaFinder } from './features/schema-access/locate-schema.ts';
import { grantFinder } from './features/schema-access/revert-grant.ts';
import { schemaAccessRoutes } from './features/schema-access/schema-access.routes.ts';
import { sessionRoutes } from './features/session/session.routes.ts';
import { sessionsRoutes } from './features/sessions/sessions.routes.ts';
import { signInRoutes } from './features/sign-in/sign-in.routes.ts';
import { findSupportTeam } from './features/support-roster/find-support-team.ts';
import { startShiftImports, startSupportTeams } from './features/support-roster/start-support-teams.ts';
import { supportRosterRoutes } from './features/support-roster/support-roster.routes.ts';
import { type SupportTeams, supportTeamFinder } from './features/support-roster/support-teams.ts';
import { findMachine } from './features/sync/machine-caller.ts';
import { syncRoutes } from './features/sync/sync.routes.ts';
import { syncSockets } from './features/sync/sync.socket.ts';
import { webhookRoutes } from './features/sync/webhooks.routes.ts';
import { dashboardFinder, syncDashboardsRoutes } from './features/sync-dashboards/sync-dashboards.routes.ts';
import { integrationFinder, syncObjectsRoutes } from './features/sync-objects/sync-objects.routes.ts';
import { compressResponses } from './http/compress-responses.ts';
import { guardOrigin } from './http/guard-origin.ts';
import { portalWords } from './http/portal-words.ts';
import { createSecureHeaders } from './http/security-headers.ts';
import { registerSockets } from './http/socket.ts';
import { serveStaticFiles } from './http/static-files.ts';

export interface AppOptions {
  /** Folder of the built page; omit it to serve the API only. */
  readonly pageFolder?: string;
  readonly limits?: HttpLimits;
}

const missingProxies =
  'publicUrl is https, but trustedProxies is empty. Every request seems to come from the address of the proxy, so all ' +
  'users share its count of failed sign-ins, and the audit trail records only that address. ' +
  'Set trustedProxies to the address of the proxy.';

/** Builds the complete server, ready to listen. */
export async function buildApp(
  dependencies: Dependencies,
  { pageFolder, limits = defaultHttpLimits }: AppOptions = {},
): Promise<FastifyInstance> {
  const { config, logger, callers, environments, permissions, audit } = dependencies;
  if (config.publicUrl?.startsWith('https:') && config.trustedProxies.length === 0) logger.warn(missingProxies);
  const app = createHttpApp({
    logger,
    words: portalWords,
    genReqId: numberRequests(),
    limits,
    setHeaders: createSecureHeaders({ https: config.publicUrl?.startsWith('https:') ?? false }),
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
  });

  await registerSockets(app);
  await compressResponses(app);
  guardOrigin(app, config.publicUrl);
  await app.register(cookie);

  const supportTeams = startSupportTeams(app, dependencies);
  const enforcer = new Enforcer({ permissions, audit, finders: collectFinders(dependencies, supportTeams) });
  const routeDependencies = {
    callers,
    enforcer,
    slots: new CallSlots(),
    locks: dependencies.locks,
    findMachine: (request: FastifyRequest, base: SyncBase) =>
      findMachine(config.syncServiceAccounts, environments, base, request),
  };
  for (const routes of [
    environmentsRoutes(dependencies),
    signInRoutes(dependencies),
    sessionRoutes(dependencies, databaseHostFinder(dependencies)),
    sessionsRoutes(dependencies),
    appConfigRoutes(dependencies, toggleFunction),
    scheduledFunctionsRoutes(dependencies),
    dbSpyFeature(app, dependencies),
    schemaAccessRoutes(dependencies),
    supportRosterRoutes(dependencies, supportTeams, startShiftImports(app, dependencies)),
    devClientRoutes(dependencies),
    attentionRoutes(dependencies, [
      deploymentsToday((environment, from, to) => listOpenBetween(dependencies.pool, environment, from, to)),
      rosterGaps((environment, now) => supportTeams.gaps(environment, now)),
      unhealthySyncs(dependencies.syncService, dependencies.freshness.syncsMs),
    ]),
    deploymentsRoutes(dependencies),
    releasePageRoutes(dependencies, (environment, team) => findSupportTeam(config.supportRoster, environment, team)),
    auditRoutes(dependencies),
    doctorRoutes(dependencies),
    syncRoutes(dependencies),
    syncDashboardsRoutes(dependencies),
    syncObjectsRoutes(dependencies),
  ]) {
    for (const route of Object.values(routes)) route.register(app, routeDependencies);
  }
  logsFeature(app, { ...dependencies, enforcer });
  syncSockets(app, { ...dependencies, enforcer });
  calendarRoutes(app, dependencies);
  webhookRoutes(app, dependencies);
  healthRoutes(app, dependencies);
  metricsRoutes(app, dependencies);
  await apiPageRoutes(app, dependencies);
  if (pageFolder !== undefined) await serveStaticFiles(app, pageFolder);
  return app;
}

/** Finds everything that calls can be about. */
function collectFinders(dependencies: Dependencies, supportTeams: SupportTeams): Finders {
  const { pool, appDatabases, syncService } = dependencies;
  return {
    ...createFinders(appDatabases),
    anySchema: anySchemaFinder(appDatabases),
    dashboard: dashboardFinder(pool),
    databaseHost: databaseHostFinder(dependencies),
    grant: grantFinder(pool),
    integration: integrationFinder(syncService),
    schedule: scheduleFinder(dependencies),
    schema: schemaFinder(appDatabases),
    team: supportTeamFinder(supportTeams),
  };
}
