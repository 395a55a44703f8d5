import type { RequestOf } from '@portal/contract/endpoint';
import { findRecords, lookAgain } from '@portal/contract/sync-find';
import { callSync } from '../../../lib/call-sync.ts';
import { integrationChanges, useSyncCall } from '../../../shared/use-sync-call.ts';
import { useIntegrationAction } from '../use-integration-action.ts';

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
