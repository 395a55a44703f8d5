import type { App } from '@portal/contract/apps';
import type { Schedule } from '@portal/contract/deployments';
import { useCallback, useMemo } from 'react';
import { useSession } from '../../session/use-session.ts';
import { replaceHidden } from '../../ui/hidden-characters.ts';

/**
 * Returns a function from app ids to names, using every source that has them. An unknown id is
 * returned as it is. Hidden characters are visible.
 */
export function useAppName(offered: readonly App[] | undefined, schedule: Schedule | null): (id: string) => string {
  const { apps } = useSession();
  const names = useMemo(
    () =>
      new Map([
        ...(schedule?.appIds.map((id, at): [string, string] => [id, schedule.appNames[at] ?? id]) ?? []),
        ...[...apps, ...(offered ?? [])].map((app): [string, string] => [app.id, app.name]),
      ]),
    [apps, offered, schedule],
  );
  return useCallback((id) => replaceHidden(names.get(id) ?? id), [names]);
}
