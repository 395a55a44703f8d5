import type { RequestOf } from '@portal/contract/endpoint';
import { getSyncBase, withBase } from '@portal/contract/sync-base';
import { getConflictFile, getConflicts, restoreConflictFile } from '@portal/contract/sync-conflicts';
import {
  getHeldRecords,
  getWaitingFiles,
  type HeldRecord,
  retryFiles,
  retryHeld,
  skipFiles,
  skipHeld,
} from '@portal/contract/sync-records';
import { callSync } from '../../../lib/call-sync.ts';
import { formatPlural } from '../../../lib/format.ts';
import { integrationChanges, useSyncCall } from '../../../shared/use-sync-call.ts';
import { recordsRefreshMs } from '../refresh-intervals.ts';
import { useEnvironmentName, useIntegrationAction } from '../use-integration-action.ts';

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

export function useConflicts(appId: string) {
  return useSyncCall(
    getConflicts,
    { limit: maxRecords },
    {
      params: { appId },
      invalidatedBy: integrationChanges,
      refetchInterval: recordsRefreshMs,
    },
  );
}

export function useRestoreFile() {
  return useIntegrationAction(
    'Restore',
    (environment, request: RequestOf<typeof restoreConflictFile>) =>
      callSync(environment, restoreConflictFile, request),
    ({ message }) => message,
  );
}

/** Returns the address at which a browser downloads a file that lost a conflict. */
export function useConflictFileAddress(appId: string): (no: string) => string {
  const { path } = withBase(getSyncBase(useEnvironmentName()), getConflictFile);
  return (no) => `${path.replace(':appId', encodeURIComponent(appId))}?no=${encodeURIComponent(no)}`;
}
