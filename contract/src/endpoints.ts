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
import { getAttention } from './attention.ts';
import { getAudit } from './audit.ts';
import { explainStatement, getLastReset, getStatement, getStats, getStatsContext, resetStats } from './db-spy.ts';
import { getDevClient, getLatestReleaseVersion } from './dev-client.ts';
import { getEnvironments } from './environments.ts';
import { getScheduledEvents, getScheduledFunctionResults, toggleScheduledEvent } from './scheduled-functions.ts';
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
import { deleteSession, getSession } from './session.ts';

/** Every call of the portal backend, in the order the API page shows them. */
export const endpoints = [
  getEnvironments,
  getApps,
  getSession,
  deleteSession,
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
  getStats,
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
  getLatestReleaseVersion,
  getDevClient,
  getAttention,
  getAudit,
] as const;
