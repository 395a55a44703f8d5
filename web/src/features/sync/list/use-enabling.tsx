import { isProduction } from '@portal/contract/environments';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { useState } from 'react';
import { formatPlural } from '../../../lib/format.ts';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { useSetEnabled } from '../use-integrations.ts';
import styles from './integration-list.module.css';
import type { Selection } from './use-selection.ts';

/** Disabling more than this requires a typed word. */
const maxWithoutWord = 10;

/**
 * Enables integrations, and disables them after a confirmation. Deselects those it is done with.
 */
export function useEnabling(selection: Selection) {
  const { session } = useSession();
  const setEnabled = useSetEnabled();
  // Keeps its value while the dialog closes.
  const [targets, setTargets] = useState<readonly SyncIntegration[]>([]);
  const [isOpen, setIsOpen] = useState(false);
  const disable = () =>
    setEnabled.mutate(
      { appIds: targets.map(({ id }) => id), enabled: false },
      {
        onSuccess(results) {
          const disabledIds = new Set(results.flatMap(({ appId, status }) => (status === 'Disabled' ? [appId] : [])));
          // Integrations that were already disabled do not join the set, so re-enabling it leaves
          // them disabled.
          const newlyDisabled = targets.filter(({ id, status }) => status !== 'Disabled' && disabledIds.has(id));
          if (newlyDisabled.length > 0) selection.storeLastDisabled(newlyDisabled.map(({ id }) => id));
          selection.deselect(targets);
        },
        onSettled: () => setIsOpen(false),
      },
    );
  const isWordRequired = targets.length > maxWithoutWord || isProduction(session.environment.name);
  return {
    isPending: setEnabled.isPending,
    enable: (integrations: readonly SyncIntegration[]) =>
      setEnabled.mutate(
        { appIds: integrations.map(({ id }) => id), enabled: true },
        { onSuccess: () => selection.deselect(integrations) },
      ),
    askToDisable(integrations: readonly SyncIntegration[]) {
      setTargets(integrations);
      setIsOpen(true);
    },
    dialog: (
      <ConfirmModal
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={`Disable ${formatPlural(targets.length, 'integration')}?`}
        confirmLabel="Disable"
        danger
        {...(isWordRequired && { confirmWord: 'DISABLE' })}
        pending={setEnabled.isPending}
        onConfirm={disable}
      >
        <p className="note">
          Until they are enabled again, changes in <strong>{session.environment.name}</strong> do not sync in either
          direction. No changes are lost: the integrations resume where they stopped. The portal remembers this set, so
          you can enable it again in one step.
        </p>
        <ul className={styles.names}>
          {targets.map(({ id, appName }) => (
            <li key={id}>
              <PlatformText text={appName} />
            </li>
          ))}
        </ul>
      </ConfirmModal>
    ),
  };
}

export type Enabling = ReturnType<typeof useEnabling>;
