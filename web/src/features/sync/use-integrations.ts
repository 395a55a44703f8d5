import type { ResponseOf } from '@portal/contract/endpoint';
import {
  getStatusHistory,
  listIntegrations,
  maxEnabledAtOnce,
  moveCursor,
  revealPassword,
  type SyncIntegration,
  setEnabled,
  tryNow,
} from '@portal/contract/sync/integration';
import type { SyncDirection } from '@portal/contract/sync/records';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callKey } from '../../api/use-call.ts';
import { formatPlural } from '../../format/numbers.ts';
import { callSync } from '../../sync/call-sync.ts';
import { describeConfigProblems } from '../../sync/field-labels.ts';
import { getListRefreshMs } from '../../sync/list-refresh.ts';
import { sendSyncSocketRequest } from '../../sync/socket-request.ts';
import { integrationChanges, useSyncCall } from '../../sync/use-sync-call.ts';
import { replaceHidden } from '../../ui/hidden-characters.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { directionLabels } from './direction-status.ts';
import { useEnvironmentName, useIntegrationAction } from './use-integration-action.ts';

/** Loads the list. Like `recordsRefreshMs`, it waits for the user after a failed load. */
export function useIntegrations(isAllowed: boolean) {
  const environment = useEnvironmentName();
  return useSyncCall(
    listIntegrations,
    { environment },
    {
      invalidatedBy: integrationChanges,
      refetchInterval: ({ state: { data } }) => data !== undefined && getListRefreshMs(data.length),
      refetchOnMount: 'always',
      enabled: isAllowed,
    },
  );
}

export function useStatusHistory({ id, changedAt, status }: SyncIntegration) {
  return useSyncCall(getStatusHistory, undefined, {
    params: { appId: id },
    // A new status means a new history.
    version: [changedAt, status],
    invalidatedBy: integrationChanges,
    placeholderScope: id,
  });
}

export function useDeleteIntegration() {
  return useIntegrationAction(
    'Delete',
    (environment, { id }: SyncIntegration) => sendSyncSocketRequest(environment, { type: 'DESTROY', appId: id }),
    (message, { appName }) => `${replaceHidden(appName)}: ${message}`,
  );
}

/** Reveals the Journey password. The result is discarded with the component that shows it. */
export function useRevealPassword() {
  const environment = useEnvironmentName();
  return useMutation({
    mutationFn: (appId: string) => callSync(environment, revealPassword, { appId }),
    onError: (problem) => showProblem('Journey password', problem),
    gcTime: 0,
  });
}

/** Enables or disables several integrations, and reports each refused one with its reason. */
export function useSetEnabled() {
  const environment = useEnvironmentName();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ appIds, enabled }: { appIds: readonly string[]; enabled: boolean }) => {
      // Both connections of each are tested before it is enabled: one call for all takes too long.
      const size = enabled ? maxEnabledAtOnce : appIds.length;
      const results: ResponseOf<typeof setEnabled> = [];
      for (let at = 0; at < appIds.length; at += size) {
        const part = { appIds: appIds.slice(at, at + size), enabled };
        results.push(...(await callSync(environment, setEnabled, part)));
      }
      return results;
    },
    onSuccess: (results, { enabled }) => {
      const refused = results.filter(({ status }) => status !== (enabled ? 'Enabled' : 'Disabled'));
      const done = results.length - refused.length;
      const pastParticiple = enabled ? 'Enabled' : 'Disabled';
      const namesById = new Map(
        client
          .getQueryData<readonly SyncIntegration[]>(callKey(listIntegrations, { environment }))
          ?.map(({ id, appName }) => [id, appName]),
      );
      const nameOf = (appId: string) => namesById.get(appId) ?? appId;
      const warnings = results.flatMap(({ appId, warnings }) => (warnings ? [`${nameOf(appId)}: ${warnings}`] : []));
      if (done > 0) showSuccess(pastParticiple, [formatPlural(done, 'integration'), ...warnings].join('\n'));
      const reasons = refused.flatMap(({ appId, message, problems }) =>
        (problems ? describeConfigProblems(problems) : [message]).map((reason) => `${nameOf(appId)}: ${reason}`),
      );
      if (reasons.length > 0) showProblem(`Not ${pastParticiple.toLowerCase()}`, new Error(reasons.join('\n')));
    },
    onError: (problem, { enabled }) => showProblem(enabled ? 'Enable' : 'Disable', problem),
    meta: { changes: integrationChanges },
  });
}

export function useTryNow() {
  return useIntegrationAction(
    'Try now',
    (environment, appId: string) => callSync(environment, tryNow, { appId }),
    ({ message }) => message,
  );
}

export function useMoveCursor() {
  return useIntegrationAction(
    'Move cursor',
    (environment, request: { appId: string; direction: SyncDirection; version: string }) =>
      callSync(environment, moveCursor, { ...request, confirmation: 'MOVE' }),
    (_, { direction, version }) => `${directionLabels[direction]} continues from version ${version}.`,
  );
}
