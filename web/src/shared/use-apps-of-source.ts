import type { App } from '@portal/contract/apps';
import { getAppSchemas } from '@portal/contract/schema-access';
import { steadyMs, useCall } from '../lib/use-call.ts';
import { useSession } from '../session/use-session.ts';

const none: readonly App[] = [];

/**
 * The apps of a data source; where they cannot be told from others, all apps, and a note that says
 * so.
 */
export function useAppsOfSource(dataSource: string | null): { apps: readonly App[]; note: string | null } {
  const { session, apps } = useSession();
  const environment = session.environment.name;
  const load = useCall(
    getAppSchemas,
    { environment, dataSource: dataSource ?? '' },
    {
      enabled: dataSource !== null,
      staleTime: steadyMs,
    },
  );
  if (load.isError && !load.data) {
    return { apps, note: 'Which apps this data source holds could not be asked for, so all of them are listed.' };
  }
  return { apps: load.data ?? none, note: load.isLoading ? 'Asking which apps it holds …' : null };
}
