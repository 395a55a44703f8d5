import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useCallback, useMemo, useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { browserStorage } from '../../../state/browser-storage.ts';

const none: ReadonlySet<string> = new Set();

/**
 * Keeps the selected integrations and, in this browser, the set this user last disabled together.
 * A filter or a search that hides selected ones does not deselect them.
 *
 * @param selectable those of the page
 */
export function useSelection(
  integrations: readonly SyncIntegration[] | undefined,
  selectable: readonly SyncIntegration[] | undefined,
) {
  const { session } = useSession();
  const key = `sync.${session.environment.name}.${session.username}.disabled-together`;
  const [selectedIds, setSelectedIds] = useState(none);
  const [lastDisabledIds, setLastDisabledIds] = useState(() => parseIds(browserStorage.get(key)));

  // Integrations that have left the list in the meantime drop out of the selection.
  const selected = useMemo(
    () => new Set((selectable ?? []).flatMap(({ id }) => (selectedIds.has(id) ? [id] : []))),
    [selectable, selectedIds],
  );
  const select = useCallback((appId: string, isSelected: boolean) => {
    setSelectedIds((current) => new Set([...current].filter((id) => id !== appId).concat(isSelected ? [appId] : [])));
  }, []);
  return {
    selected,
    select,
    /** Adds these to the selection. */
    selectAll: (found: readonly SyncIntegration[]) =>
      setSelectedIds((current) => new Set([...current, ...found.map(({ id }) => id)])),
    clear: () => setSelectedIds(none),
    deselect(integrations: readonly SyncIntegration[]) {
      const ids = new Set(integrations.map(({ id }) => id));
      setSelectedIds((current) => new Set([...current].filter((id) => !ids.has(id))));
    },
    /** The integrations of the last disabled set that are still disabled. */
    lastDisabled: (integrations ?? []).filter(
      ({ id, status }) => lastDisabledIds.includes(id) && status === 'Disabled',
    ),
    storeLastDisabled(appIds: readonly string[]) {
      setLastDisabledIds(appIds);
      browserStorage.set(key, appIds);
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;

function parseIds(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [];
}
