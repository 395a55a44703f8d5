import {
  getAccessGrant,
  getAccessHistory,
  getAppSchemas,
  getTeamNames,
  migrateApp,
  migrateSchema,
  pingDatabase,
  revertAccess,
} from '@portal/contract/schema-access';
import { useQueries } from '@tanstack/react-query';
import { callOptions, steadyMs, useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';

export const accessChanges = [migrateApp, migrateSchema, revertAccess];

/** How often the history is asked for while something in it is under way. */
const runningMs = 5_000;

/** The teams a schema may be given to, as the environment's configuration names them. */
export function useTeamNames() {
  return useCall(getTeamNames, undefined, { staleTime: steadyMs });
}

export type TeamNamesLoad = ReturnType<typeof useTeamNames>;

/** The apps whose schemas a data source holds; nothing is asked while none is chosen. */
export function useAppSchemas(dataSource: string | null) {
  const { session } = useSession();
  const environment = session.environment.name;
  return useCall(
    getAppSchemas,
    { environment, dataSource: dataSource ?? '' },
    {
      enabled: dataSource !== null,
      staleTime: steadyMs,
    },
  );
}

export type AppSchemasLoad = ReturnType<typeof useAppSchemas>;

/**
 * All data sources asked side by side: each answers for itself, and a slow one holds up none of the
 * others.
 */
export function usePings() {
  const { session } = useSession();
  const { name: environment, dataSources } = session.environment;
  return useQueries({
    queries: dataSources.map(({ heliumDataSourceName: dataSource }) =>
      callOptions(
        pingDatabase,
        { environment, dataSource },
        {
          retry: false,
          staleTime: 30_000,
          refetchOnWindowFocus: false,
        },
      ),
    ),
  });
}

/** Who has, or had, access, newest first: to every schema, or to that of one app. */
export function useAccessHistory(appId: string | null) {
  return useCall(getAccessHistory, appId === null ? {} : { appId }, {
    invalidatedBy: accessChanges,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data?.some((grant) => grant.state === 'running') ? runningMs : false),
  });
}

export type AccessHistoryLoad = ReturnType<typeof useAccessHistory>;

/** The receipt of a grant: what it ran, and what takes it back. */
export function useAccessGrant(grantId: string | null) {
  return useCall(
    getAccessGrant,
    { grantId: grantId ?? '' },
    {
      invalidatedBy: accessChanges,
      enabled: grantId !== null,
    },
  );
}
