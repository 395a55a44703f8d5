import type { SyncIntegration } from '@portal/contract/sync-integration';
import { useCallback, useMemo, useState } from 'react';
import { browserStorage } from '../../../lib/browser-storage.ts';
import { useSession } from '../../../session/use-session.ts';

const none: ReadonlySet<string> = new Set();

/**
 * Which integrations are meant, and which were disabled together last: by this user, here, in this
 * browser.
 */
export function useSelection(integrations: readonly SyncIntegration[] | undefined) {
  const { session } = useSession();
  const key = `sync.${session.environment.name}.${session.username}.disabled-together`;
  const [chosen, setChosen] = useState(none);
  const [together, setTogether] = useState(() => idsOf(browserStorage.get(key)));

  // What was deleted meanwhile is not meant any more.
  const selected = useMemo(
    () => new Set((integrations ?? []).flatMap(({ id }) => (chosen.has(id) ? [id] : []))),
    [integrations, chosen],
  );
  const select = useCallback((appId: string, isSelected: boolean) => {
    setChosen((current) => new Set([...current].filter((id) => id !== appId).concat(isSelected ? [appId] : [])));
  }, []);
  return {
    selected,
    select,
    selectAll: (isSelected: boolean) => setChosen(isSelected ? new Set(integrations?.map(({ id }) => id)) : none),
    /** Those of the set last disabled together that still are. */
    disabledTogether: (integrations ?? []).filter(({ id, status }) => together.includes(id) && status === 'Disabled'),
    rememberDisabled(appIds: readonly string[]) {
      setTogether(appIds);
      browserStorage.set(key, appIds);
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;

function idsOf(kept: unknown): readonly string[] {
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
}
