import { auditDrift, getDrift } from '@portal/contract/sync-drift';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { getSyncObjects } from '@portal/contract/sync-objects';
import { callSync } from '../../../lib/call-sync.ts';
import { useCall } from '../../../lib/use-call.ts';
import { integrationChanges, useSyncCall } from '../../../shared/use-sync-call.ts';
import { useIntegrationAction } from '../use-integration-action.ts';

export function useSyncObjects({ id, heliumBaseUrl, journeyBaseUrl }: SyncIntegration) {
  const request = { heliumUrl: heliumBaseUrl, journeyUrl: journeyBaseUrl, appId: id };
  return useCall(getSyncObjects, request, { invalidatedBy: integrationChanges, staleTime: 0 });
}

/** Loads what the comparisons of both sides have found. */
export function useDrift(appId: string) {
  return useSyncCall(getDrift, undefined, { params: { appId }, invalidatedBy: integrationChanges, staleTime: 0 });
}

export function useCompareSides() {
  return useIntegrationAction(
    'Compare both sides',
    (environment, appId: string) => callSync(environment, auditDrift, { appId }),
    ({ message }) => message,
  );
}
