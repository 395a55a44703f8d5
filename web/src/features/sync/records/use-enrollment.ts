import type { RequestOf } from '@portal/contract/endpoint';
import { getEnrollment, removeUnlisted, retryEnrollment } from '@portal/contract/sync/enrollment-status';
import { callSync } from '../../../sync/call-sync.ts';
import { integrationChanges, useSyncCall } from '../../../sync/use-sync-call.ts';
import { recordsRefreshMs } from '../refresh-intervals.ts';
import { useIntegrationAction } from '../use-integration-action.ts';

export function useEnrollment(appId: string) {
  return useSyncCall(getEnrollment, undefined, {
    params: { appId },
    invalidatedBy: integrationChanges,
    refetchInterval: recordsRefreshMs,
  });
}

export function useRetryEnrollment() {
  return useIntegrationAction(
    'Retry',
    (environment, request: { readonly appId: string; readonly subjects?: string[] }) =>
      callSync(environment, retryEnrollment, request),
    () => 'Enrollment is retried now.',
  );
}

export function useRemoveUnlisted() {
  return useIntegrationAction(
    'Remove',
    (environment, request: RequestOf<typeof removeUnlisted>) => callSync(environment, removeUnlisted, request),
    ({ message }) => message,
  );
}
