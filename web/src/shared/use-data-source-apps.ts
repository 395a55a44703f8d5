import type { App } from '@portal/contract/apps';
import { getAppSchemas } from '@portal/contract/schema-access';
import { slowStaleTimeMs, useCall } from '../lib/use-call.ts';
import { useSession } from '../session/use-session.ts';

const none: readonly App[] = [];

/**
 * Returns the apps of a data source. If they cannot be loaded, returns all apps and a note about
 * it.
 */
export function useDataSourceApps(dataSource: string | null): { apps: readonly App[]; note: string | null } {
  const { session, apps } = useSession();
  const environment = session.environment.name;
  const load = useCall(
    getAppSchemas,
    { environment, dataSource: dataSource ?? '' },
    {
      enabled: dataSource !== null,
      staleTime: slowStaleTimeMs,
    },
  );
  if (load.isError && !load.data) {
    return { apps, note: 'The apps of this data source could not be loaded, so all apps are listed.' };
  }
  return { apps: load.data ?? none, note: load.isLoading ? 'Loading its apps …' : null };
}
