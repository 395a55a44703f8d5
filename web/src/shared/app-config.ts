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
import { type CallQuery, useCall } from '../lib/use-call.ts';
import { useSession } from '../session/use-session.ts';

/** The calls that change the configuration of an app. */
export const configChanges = [
  ...[addEntryPoint, removeEntryPoint, updateEntryPoint],
  ...[setMaxDbResults, disableApp, lockApp, undoConfigChange],
];

/** Loads the configuration of an app. All parts of a screen share one load. */
export function useConfig(appId: string, options: CallQuery<typeof getConfig>) {
  const { baseUrl } = useSession().session.environment;
  return useCall(getConfig, { baseUrl, appId }, { invalidatedBy: configChanges, ...options });
}
