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
import { callOptions, slowStaleTimeMs, useCall } from '../../api/use-call.ts';
import { useSession } from '../../session/use-session.ts';

export const accessChanges = [migrateApp, migrateSchema, revertAccess];

/** The refresh interval of the history while a grant in it is running. */
const runningRefreshMs = 5_000;

/** Loads the teams of the environment's configuration. */
export function useTeamNames() {
  return useCall(getTeamNames, undefined, { staleTime: slowStaleTimeMs });
}

export type TeamNamesLoad = ReturnType<typeof useTeamNames>;

/** Loads the apps of a data source; nothing until one is selected. */
export function useAppSchemas(dataSource: string | null) {
  const { session } = useSession();
  const environment = session.environment.name;
  return useCall(
    getAppSchemas,
    { environment, dataSource: dataSource ?? '' },
    {
      enabled: dataSource !== null,
      staleTime: slowStaleTimeMs,
    },
  );
}

export type AppSchemasLoad = ReturnType<typeof useAppSchemas>;

/** Pings all data sources in parallel. A slow one does not delay the others. */
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

/** Loads current and past grants, newest first: of all schemas, or of one app. */
export function useAccessHistory(appId: string | null) {
  return useCall(getAccessHistory, appId === null ? {} : { appId }, {
    invalidatedBy: accessChanges,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data?.some((grant) => grant.state === 'running') ? runningRefreshMs : false),
  });
}

export type AccessHistoryLoad = ReturnType<typeof useAccessHistory>;

/** Loads the receipt of a grant: the statements that ran and the SQL to revert it. */
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
