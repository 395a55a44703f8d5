import { auditDrift, getDifferences, getDrift } from '@portal/contract/sync/drift';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { getSyncObjects, type Platform } from '@portal/contract/sync/objects';
import { call } from '../../../api/call.ts';
import { CallProblem } from '../../../api/call-problem.ts';
import { useCall } from '../../../api/use-call.ts';
import { callSync, withSpecifiedMessage } from '../../../sync/call-sync.ts';
import { integrationChanges, useSyncCall } from '../../../sync/use-sync-call.ts';
import { recordsRefreshMs } from '../refresh-intervals.ts';
import { useIntegrationAction } from '../use-integration-action.ts';
import { maxRecords } from './use-records.ts';

/** Loads the objects of one side, so that they are shown while the other side is slow or fails. */
export function useSyncObjects({ id, heliumBaseUrl, journeyBaseUrl }: SyncIntegration, platform: Platform) {
  const request = { heliumUrl: heliumBaseUrl, journeyUrl: journeyBaseUrl, appId: id, platform };
  return useCall(getSyncObjects, request, {
    invalidatedBy: integrationChanges,
    staleTime: 0,
    send: (endpoint, payload, options) =>
      call(endpoint, payload, options).catch((error: unknown) => {
        throw error instanceof CallProblem ? withReasonOfSide(error) : error;
      }),
  });
}

/** Returns the specified message for a 502, with the reason if the portal gives one. */
function withReasonOfSide(problem: CallProblem): CallProblem {
  const { kind, message } = problem;
  const specified = withSpecifiedMessage(problem);
  if (kind === 'http' || specified === problem) return specified;
  return new CallProblem({ ...specified, message: `${specified.message}. ${message}` });
}

/** Loads what the comparisons of both sides have found. */
export function useDrift(appId: string) {
  return useSyncCall(getDrift, undefined, { params: { appId }, invalidatedBy: integrationChanges, staleTime: 0 });
}

export function useDifferences(appId: string) {
  return useSyncCall(
    getDifferences,
    { limit: maxRecords },
    { params: { appId }, invalidatedBy: integrationChanges, refetchInterval: recordsRefreshMs },
  );
}

export function useCompareSides() {
  return useIntegrationAction(
    'Compare both sides',
    (environment, appId: string) => callSync(environment, auditDrift, { appId }),
    ({ message }) => message,
  );
}
