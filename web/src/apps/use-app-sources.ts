import type { App } from '@portal/contract/apps';
import { getAppSchemas } from '@portal/contract/schema-access';
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { callOptions, slowStaleTimeMs } from '../api/use-call.ts';
import { useSession } from '../session/use-session.ts';
import { indexSources } from './app-sources.ts';

const none: readonly App[] = [];

/** Which data source each app is in, and the apps to offer. */
export interface AppSources {
  /** Returns the data source of an app, or null while it is not known. */
  readonly find: (appId: string) => string | null;
  /** The schema of an app and its data source, to show beside the app's name. */
  readonly describe: (app: App) => string;
  /** The apps of the requested data source; all apps without one, or if it does not respond. */
  readonly apps: readonly App[];
  /** What the user should know about `apps`. */
  readonly note: string | null;
  /** Whether a data source is still to respond. */
  readonly isLoading: boolean;
}

/**
 * Loads which apps are in each data source. All load in parallel, so a silent one hides only its
 * own apps.
 *
 * @param dataSource The data source whose apps are offered; null for all apps.
 */
export function useAppSources(dataSource: string | null, enabled = true): AppSources {
  const { session, apps } = useSession();
  const { name: environment, dataSources } = session.environment;
  const names = dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName);
  const sources = useQueries({
    queries: names.map((name) =>
      callOptions(getAppSchemas, { environment, dataSource: name }, { enabled, staleTime: slowStaleTimeMs }),
    ),
    combine: (loads) =>
      loads.map((load, at) => ({
        dataSource: names[at] ?? '',
        apps: load.data,
        isLoading: load.isLoading,
        isError: load.isError,
      })),
  });
  const index = useMemo(() => indexSources(sources), [sources]);
  const find = useCallback((appId: string) => index.get(appId) ?? null, [index]);
  const describe = useCallback(
    ({ id, schemaName }: App) => [schemaName, index.get(id)].filter(Boolean).join(' · '),
    [index],
  );
  const requested = sources.find((source) => source.dataSource === dataSource);
  const isSilent = requested?.isError === true && requested.apps === undefined;
  return {
    find,
    describe,
    apps: requested === undefined || isSilent ? apps : (requested.apps ?? none),
    note: isSilent
      ? 'The apps of this data source could not be loaded, so all apps are listed.'
      : requested?.isLoading
        ? 'Loading its apps …'
        : null,
    isLoading: sources.some(({ isLoading }) => isLoading),
  };
}
