import {
  getAccessGrant,
  getAccessHistory,
  getAppSchemas,
  getTeamNames,
  pingDatabase,
} from '@portal/contract/schema-access';
import { useQueries, useQuery } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { useSession } from '../../session/use-session.ts';

/** Everything that a grant or a revert changes is asked for anew under this key. */
export const accessKey = ['schema-access'] as const;

/** How often the history is asked for while something in it is under way. */
const runningMs = 5_000;

/** The teams a schema may be given to, as the environment's configuration names them. */
export function useTeamNames() {
  return useQuery({
    queryKey: ['team-names'],
    queryFn: ({ signal }) => call(getTeamNames, undefined, { signal }),
    staleTime: 60_000,
  });
}

export type TeamNamesLoad = ReturnType<typeof useTeamNames>;

/** The apps whose schemas a data source holds; nothing is asked while none is chosen. */
export function useAppSchemas(dataSource: string | null) {
  const { session } = useSession();
  const environment = session.environment.name;
  return useQuery({
    queryKey: ['app-schemas', dataSource],
    queryFn: ({ signal }) => call(getAppSchemas, { environment, dataSource: dataSource ?? '' }, { signal }),
    enabled: dataSource !== null,
    staleTime: 60_000,
  });
}

export type AppSchemasLoad = ReturnType<typeof useAppSchemas>;

/** All data sources asked side by side: each answers for itself, and a slow one holds up none of the others. */
export function usePings() {
  const { session } = useSession();
  const { name: environment, dataSources } = session.environment;
  return useQueries({
    queries: dataSources.map(({ heliumDataSourceName: dataSource }) => ({
      queryKey: ['ping-database', dataSource],
      queryFn: ({ signal }: { signal: AbortSignal }) => call(pingDatabase, { environment, dataSource }, { signal }),
      retry: false,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
    })),
  });
}

/** Who has, or had, access, newest first: to every schema, or to that of one app. */
export function useAccessHistory(appId: string | null) {
  return useQuery({
    queryKey: [...accessKey, 'history', appId],
    queryFn: ({ signal }) => call(getAccessHistory, appId === null ? {} : { appId }, { signal }),
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data?.some((grant) => grant.state === 'running') ? runningMs : false),
  });
}

export type AccessHistoryLoad = ReturnType<typeof useAccessHistory>;

/** The receipt of a grant: what it ran, and what takes it back. */
export function useAccessGrant(grantId: string | null) {
  return useQuery({
    queryKey: [...accessKey, 'grant', grantId],
    queryFn: ({ signal }) => call(getAccessGrant, { grantId: grantId ?? '' }, { signal }),
    enabled: grantId !== null,
  });
}
