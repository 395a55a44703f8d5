import type { RequestOf } from '@portal/contract/endpoint';
import {
  getHeldRecords,
  getWaitingFiles,
  type HeldRecord,
  retryFiles,
  retryHeld,
  skipFiles,
  skipHeld,
} from '@portal/contract/sync/records';
import { formatPlural } from '../../../format/numbers.ts';
import { callSync } from '../../../sync/call-sync.ts';
import { integrationChanges, useSyncCall } from '../../../sync/use-sync-call.ts';
import { recordsRefreshMs } from '../refresh-intervals.ts';
import { useIntegrationAction } from '../use-integration-action.ts';

/** The most records a list loads; it shows the total if there are more. */
export const maxRecords = 1000;

export function useHeldRecords(appId: string, state: HeldRecord['state']) {
  return useSyncCall(
    getHeldRecords,
    { state, limit: maxRecords },
    {
      params: { appId },
      invalidatedBy: integrationChanges,
      refetchInterval: recordsRefreshMs,
    },
  );
}

export interface HeldSelection {
  readonly appId: string;
  /** Either these ids, or all records of a kind. */
  readonly nos?: string[];
  readonly kind?: string;
}

export function useRetryHeld() {
  return useIntegrationAction(
    'Retry',
    (environment, request: HeldSelection) => callSync(environment, retryHeld, request),
    ({ records }) => `${formatPlural(records, 'record')} will be retried.`,
  );
}

export function useSkipHeld() {
  return useIntegrationAction(
    'Skip',
    (environment, request: HeldSelection) => callSync(environment, skipHeld, request),
    ({ records }) =>
      records === 1
        ? 'The record is skipped until it changes again.'
        : `${formatPlural(records, 'record')} are skipped until they change again.`,
  );
}

export function useWaitingFiles(appId: string) {
  return useSyncCall(
    getWaitingFiles,
    { limit: maxRecords },
    { params: { appId }, invalidatedBy: integrationChanges, refetchInterval: recordsRefreshMs },
  );
}

export function useRetryFiles() {
  return useIntegrationAction(
    'Retry',
    (environment, request: { readonly appId: string; readonly nos?: string[] }) =>
      callSync(environment, retryFiles, request),
    ({ files }) => `${formatPlural(files, 'file')} will be retried.`,
  );
}

export function useSkipFiles() {
  return useIntegrationAction(
    'Skip',
    (environment, request: RequestOf<typeof skipFiles>) => callSync(environment, skipFiles, request),
    () => "Helium's changes no longer wait for the file.",
  );
}
