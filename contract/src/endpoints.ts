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
import { getAudit } from './audit.ts';
import { getEnvironments } from './environments.ts';
import { getScheduledEvents, getScheduledFunctionResults, toggleScheduledEvent } from './scheduled-functions.ts';
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
  getAudit,
] as const;
