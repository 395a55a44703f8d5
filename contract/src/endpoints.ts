import {
  addEntryPoint,
  disableApp,
  getConfig,
  lockApp,
  removeEntryPoint,
  setMaxDbResults,
  undoConfigChange,
  updateEntryPoint,
} from './app-config.ts';
import { getApps } from './apps.ts';
import { getAppStates, getAttention, getFunctionNames } from './attention.ts';
import { countAudit, exportAudit, getAudit, getRecentChanges } from './audit.ts';
import {
  explainStatement,
  getLastReset,
  getStatement,
  getStatementTrends,
  getStats,
  getStatsContext,
  getTopStats,
  resetStats,
} from './db-spy.ts';
import {
  createCalendarFeed,
  findScheduleConflicts,
  getCalendarFeed,
  getDeploymentApps,
  getDeploymentSettings,
  getDeploymentTeams,
  getJiraProjects,
  getScheduleHistory,
  getSchedules,
  mergeSchedule,
  resolveSchedule,
  revokeCalendarFeed,
} from './deployments.ts';
import { getDevClient, getLatestReleaseVersion } from './dev-client.ts';
import { examineEnvironment } from './doctor.ts';
import { getEnvironments } from './environments.ts';
import { logSocket } from './logs.ts';
import { getHealth, getMetrics, getOpenApi, getReadiness, readCalendarFeed, receiveWebhook } from './operations.ts';
import { getRelease, markReleaseStep } from './release-page.ts';
import {
  getLastFunctionResults,
  getScheduledEvents,
  getScheduledFunctionResults,
  toggleScheduledEvent,
} from './scheduled-functions.ts';
import {
  generateSql,
  getAccessGrant,
  getAccessHistory,
  getAppSchemas,
  getTeamNames,
  migrateApp,
  migrateSchema,
  pingDatabase,
  planAccess,
  planRevert,
  revertAccess,
} from './schema-access.ts';
import { deleteSession, getRefusals, getSession, makeSessionReadOnly, reportUse } from './session.ts';
import { saveSetting, switchEnvironment } from './session-choices.ts';
import { endSession, endSessionsOfUser, getSessions } from './sessions.ts';
import {
  deletePortalShift,
  getOnCall,
  getPortalShifts,
  getRoster,
  getRosterTeams,
  getShiftImport,
  importShifts,
  revealNumber,
  savePortalShift,
} from './support-roster.ts';
import { withBase } from './sync/base.ts';
import { deleteSyncDashboard, getSyncDashboard, getSyncDashboards, saveSyncDashboard } from './sync/dashboards.ts';
import { syncEndpoints } from './sync/endpoints.ts';
import { getSyncObjects } from './sync/objects.ts';
import { syncSocket } from './sync/socket.ts';

/**
 * Every endpoint, in the order of the API page. The sync endpoints are listed under the first of
 * their bases only.
 */
export const endpoints = [
  getEnvironments,
  getApps,
  getSession,
  getRefusals,
  reportUse,
  makeSessionReadOnly,
  saveSetting,
  switchEnvironment,
  deleteSession,
  getSessions,
  endSession,
  endSessionsOfUser,
  getConfig,
  addEntryPoint,
  removeEntryPoint,
  updateEntryPoint,
  setMaxDbResults,
  disableApp,
  lockApp,
  undoConfigChange,
  getScheduledEvents,
  toggleScheduledEvent,
  getScheduledFunctionResults,
  getLastFunctionResults,
  getStats,
  getTopStats,
  getStatementTrends,
  getStatsContext,
  getStatement,
  explainStatement,
  getLastReset,
  resetStats,
  getTeamNames,
  getAppSchemas,
  pingDatabase,
  planAccess,
  migrateApp,
  migrateSchema,
  generateSql,
  planRevert,
  revertAccess,
  getAccessHistory,
  getAccessGrant,
  getDeploymentTeams,
  getJiraProjects,
  getDeploymentApps,
  getSchedules,
  mergeSchedule,
  getRelease,
  markReleaseStep,
  resolveSchedule,
  getScheduleHistory,
  findScheduleConflicts,
  getDeploymentSettings,
  getCalendarFeed,
  createCalendarFeed,
  revokeCalendarFeed,
  readCalendarFeed,
  getRosterTeams,
  getRoster,
  revealNumber,
  getOnCall,
  getPortalShifts,
  savePortalShift,
  deletePortalShift,
  importShifts,
  getShiftImport,
  getLatestReleaseVersion,
  getDevClient,
  getAttention,
  getAppStates,
  getFunctionNames,
  getAudit,
  countAudit,
  exportAudit,
  getRecentChanges,
  examineEnvironment,
  getSyncObjects,
  getSyncDashboards,
  getSyncDashboard,
  saveSyncDashboard,
  deleteSyncDashboard,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
  receiveWebhook,
  ...syncEndpoints.map((endpoint) => withBase('/sync/api/', endpoint)),
] as const;

/** Every socket. */
export const sockets = [logSocket, syncSocket] as const;
