import type { App } from '@portal/contract/apps';
import { getAppSchemas } from '@portal/contract/schema-access';
import { useQuery } from '@tanstack/react-query';
import { call } from '../lib/call.ts';
import { useSession } from '../session/use-session.ts';

const none: readonly App[] = [];

/** The apps of a data source; where they cannot be told from others, all apps, and a note that says so. */
export function useAppsOfSource(dataSource: string | null): { apps: readonly App[]; note: string | null } {
  const { session, apps } = useSession();
  const load = useQuery({
    queryKey: ['apps-of-source', dataSource],
    queryFn: ({ signal }) =>
      call(getAppSchemas, { environment: session.environment.name, dataSource: dataSource ?? '' }, { signal }),
    enabled: dataSource !== null,
    staleTime: 60_000,
  });
  if (load.isError && !load.data) {
    return { apps, note: 'Which apps this data source holds could not be asked for, so all of them are listed.' };
  }
  return { apps: load.data ?? none, note: load.isLoading ? 'Asking which apps it holds …' : null };
}
