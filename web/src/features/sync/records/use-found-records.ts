import type { RequestOf } from '@portal/contract/endpoint';
import { findRecords, lookAgain } from '@portal/contract/sync/find';
import { refreshEvery } from '../../../api/use-call.ts';
import { callSync } from '../../../sync/call-sync.ts';
import { integrationChanges, useSyncCall } from '../../../sync/use-sync-call.ts';
import { useIntegrationAction } from '../use-integration-action.ts';

/** What to find: an id or a value, in one table or in all of them. */
export type RecordSearch = Omit<RequestOf<typeof findRecords>, 'appId'>;

/** Journey is read live each time, so what is shown is refreshed less often than stored records. */
const foundRefreshMs = 10_000;

/**
 * Finds records. An empty search loads what can be searched. Only a record found by its id is
 * refreshed: a value is searched in whole tables.
 */
export function useFoundRecords(appId: string, search: RecordSearch) {
  return useSyncCall(
    findRecords,
    { appId, ...search },
    {
      invalidatedBy: integrationChanges,
      staleTime: 0,
      ...(search.id !== undefined && { refetchInterval: refreshEvery(foundRefreshMs) }),
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
