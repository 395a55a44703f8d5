import type { RequestOf } from '@portal/contract/endpoint';
import { getSyncBase, withBase } from '@portal/contract/sync-base';
import { auditDrift, getDrift } from '@portal/contract/sync-drift';
import { getEnrollment, removeUnlisted, retryEnrollment } from '@portal/contract/sync-enrollment-status';
import { findRecords, lookAgain } from '@portal/contract/sync-find';
import {
  getStatusHistory,
  listIntegrations,
  moveCursor,
  revealPassword,
  type SyncIntegration,
  setEnabled,
  tryNow,
} from '@portal/contract/sync-integration';
import { getSyncObjects } from '@portal/contract/sync-objects';
import {
  getConflictFile,
  getConflicts,
  getHeldRecords,
  getWaitingFiles,
  type HeldRecord,
  restoreConflictFile,
  retryFiles,
  retryHeld,
  type SyncDirection,
  skipFiles,
  skipHeld,
} from '@portal/contract/sync-records';
import { answerRecovery, getRecovery } from '@portal/contract/sync-recovery';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callSync } from '../../lib/call-sync.ts';
import { formatPlural } from '../../lib/format.ts';
import { sendSyncSocketRequest } from '../../lib/sync-socket-request.ts';
import { callKey, useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { integrationChanges, useSyncCall } from '../../shared/use-sync-call.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

/**
 * How often the list is refreshed; a long list is refreshed less often because it costs more. A
 * list that failed to load waits for the user: an error that came and went by itself could not be
 * read, nor its Retry button pressed.
 */
const refreshMs = 3000;
const shortListLength = 250;
const recordsRefreshMs = ({ state }: { state: { data: unknown } }) => state.data !== undefined && 5000;

/** The most records a list loads; it shows the total if there are more. */
export const maxRecords = 1000;

function useEnvironmentName(): string {
  return useSession().session.environment.name;
}

export function useIntegrations(isAllowed: boolean) {
  const environment = useEnvironmentName();
  return useSyncCall(
    listIntegrations,
    { environment },
    {
      invalidatedBy: integrationChanges,
      refetchInterval: ({ state: { data } }) =>
        data !== undefined && refreshMs * Math.max(1, data.length / shortListLength),
      refetchOnMount: 'always',
      enabled: isAllowed,
    },
  );
}

export function useSyncObjects({ id, heliumBaseUrl, journeyBaseUrl }: SyncIntegration) {
  const request = { heliumUrl: heliumBaseUrl, journeyUrl: journeyBaseUrl, appId: id };
  return useCall(getSyncObjects, request, { invalidatedBy: integrationChanges, staleTime: 0 });
}

/** Loads what the comparisons of both sides have found. */
export function useDrift(appId: string) {
  return useSyncCall(getDrift, undefined, { params: { appId }, invalidatedBy: integrationChanges, staleTime: 0 });
}

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

export function useWaitingFiles(appId: string) {
  return useSyncCall(
    getWaitingFiles,
    { limit: maxRecords },
    { params: { appId }, invalidatedBy: integrationChanges, refetchInterval: recordsRefreshMs },
  );
}

export function useEnrollment(appId: string) {
  return useSyncCall(getEnrollment, undefined, {
    params: { appId },
    invalidatedBy: integrationChanges,
    refetchInterval: recordsRefreshMs,
  });
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

export function useStatusHistory({ id, changedAt, status }: SyncIntegration) {
  return useSyncCall(getStatusHistory, undefined, {
    params: { appId: id },
    // A new status means a new history.
    version: [changedAt, status],
    invalidatedBy: integrationChanges,
    placeholderScope: id,
  });
}

/**
 * Loads the question that halts an integration. It may be answered, or replaced, by another user at
 * any time.
 */
export function useRecovery({ id, needsDecision, haltedSince }: SyncIntegration) {
  return useSyncCall(getRecovery, undefined, {
    params: { appId: id },
    // Each halt may have another question.
    version: haltedSince,
    invalidatedBy: integrationChanges,
    refetchInterval: recordsRefreshMs,
    refetchOnMount: 'always',
    enabled: needsDecision,
  });
}

/** Runs an action on integrations, reports the outcome in a popup and refreshes what is shown. */
function useIntegrationAction<Input, Result>(
  title: string,
  run: (environment: string, input: Input) => Promise<Result>,
  describeSuccess: (result: Result, input: Input) => string,
) {
  const environment = useEnvironmentName();
  return useMutation({
    mutationFn: (input: Input) => run(environment, input),
    onSuccess: (result, input) => showSuccess(title, describeSuccess(result, input)),
    onError: (problem) => showProblem(title, problem),
    meta: { changes: integrationChanges },
  });
}

export function useDeleteIntegration() {
  return useIntegrationAction(
    'Delete',
    (environment, { id }: SyncIntegration) => sendSyncSocketRequest(environment, { type: 'DESTROY', appId: id }),
    (message, { appName }) => `${appName}: ${message}`,
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
    mutationFn: (request: { appIds: readonly string[]; enabled: boolean }) =>
      callSync(environment, setEnabled, { ...request, appIds: [...request.appIds] }),
    onSuccess: (results, { enabled }) => {
      const refused = results.filter(({ status }) => status !== (enabled ? 'Enabled' : 'Disabled'));
      const done = results.length - refused.length;
      const pastParticiple = enabled ? 'Enabled' : 'Disabled';
      if (done > 0) showSuccess(pastParticiple, formatPlural(done, 'integration'));
      const namesById = new Map(
        client
          .getQueryData<readonly SyncIntegration[]>(callKey(listIntegrations, { environment }))
          ?.map(({ id, appName }) => [id, appName]),
      );
      const reasons = refused.map(({ appId, message }) => `${namesById.get(appId) ?? appId}: ${message}`);
      if (reasons.length > 0) showProblem(`Not ${pastParticiple.toLowerCase()}`, new Error(reasons.join('\n')));
    },
    onError: (problem, { enabled }) => showProblem(enabled ? 'Enable' : 'Disable', problem),
    meta: { changes: integrationChanges },
  });
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

/** What to find: an id, in one table or in all, or a value of a column. */
export type RecordSearch = Omit<RequestOf<typeof findRecords>, 'appId'>;

/** Journey is read live each time, so what is shown is refreshed less often than stored records. */
const foundRefreshMs = 10_000;

/** Finds records. An empty search loads what can be searched. */
export function useFoundRecords(appId: string, search: RecordSearch) {
  const isSearch = search.id !== undefined || search.value !== undefined;
  return useSyncCall(
    findRecords,
    { appId, ...search },
    {
      invalidatedBy: integrationChanges,
      staleTime: 0,
      ...(isSearch && {
        refetchInterval: ({ state }: { state: { data: unknown } }) => state.data !== undefined && foundRefreshMs,
      }),
    },
  );
}

export function useLookAgain() {
  return useIntegrationAction(
    'Look again',
    (environment, request: RequestOf<typeof lookAgain>) => callSync(environment, lookAgain, request),
    ({ message }) => message,
  );
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

export function useAnswerRecovery() {
  return useIntegrationAction(
    'Decision',
    (environment, request: RequestOf<typeof answerRecovery>) => callSync(environment, answerRecovery, request),
    () => 'Saved. The integration is enabled and acts on it.',
  );
}

export function useCompareSides() {
  return useIntegrationAction(
    'Compare both sides',
    (environment, appId: string) => callSync(environment, auditDrift, { appId }),
    ({ message }) => message,
  );
}

export const directionLabels: Readonly<Record<SyncDirection, string>> = {
  'helium-to-journey': 'Helium to Journey',
  'journey-to-helium': 'Journey to Helium',
};
