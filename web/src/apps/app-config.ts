import {
  addEntryPoint,
  disableApp,
  getConfig,
  lockApp,
  removeEntryPoint,
  setMaxDbResults,
  undoConfigChange,
  updateEntryPoint,
} from '@portal/contract/app-config';
import { toggleScheduledEvent } from '@portal/contract/scheduled-functions';
import { type CallQuery, useCall } from '../api/use-call.ts';
import { useSession } from '../session/use-session.ts';

/** The calls that change an app: its configuration and the last change to it. */
export const appChanges = [
  ...[addEntryPoint, removeEntryPoint, updateEntryPoint],
  ...[setMaxDbResults, disableApp, lockApp, undoConfigChange, toggleScheduledEvent],
];

/** Loads the configuration of an app. All parts of a screen share one load. */
export function useConfig(appId: string, options: CallQuery<typeof getConfig>) {
  const { baseUrl } = useSession().session.environment;
  return useCall(getConfig, { baseUrl, appId }, { invalidatedBy: appChanges, ...options });
}
