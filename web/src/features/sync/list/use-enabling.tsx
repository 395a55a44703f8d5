import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useCallback, useState } from 'react';
import { formatPlural } from '../../../format/numbers.ts';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { useSetEnabled } from '../use-integrations.ts';
import styles from './integration-list.module.css';
import type { Selection } from './use-selection.ts';

/** What is asked about: to enable or to disable these. */
interface Question {
  readonly enabled: boolean;
  readonly targets: readonly SyncIntegration[];
}

/**
 * Enables and disables integrations, after a confirmation that states the effect. Neither loses
 * data, so neither requires a typed word. Deselects those it is done with.
 */
export function useEnabling(selection: Selection) {
  const { session } = useSession();
  const setEnabled = useSetEnabled();
  // Keeps its value while the dialog closes.
  const [{ enabled, targets }, setQuestion] = useState<Question>({ enabled: false, targets: [] });
  const [isOpen, setIsOpen] = useState(false);
  const ask = useCallback((question: Question) => {
    setQuestion(question);
    setIsOpen(true);
  }, []);
  const askToEnable = useCallback((targets: readonly SyncIntegration[]) => ask({ enabled: true, targets }), [ask]);
  const askToDisable = useCallback((targets: readonly SyncIntegration[]) => ask({ enabled: false, targets }), [ask]);
  const confirm = () =>
    setEnabled.mutate(
      { appIds: targets.map(({ id }) => id), enabled },
      {
        onSuccess(results) {
          const disabledIds = new Set(results.flatMap(({ appId, status }) => (status === 'Disabled' ? [appId] : [])));
          // Integrations that were already disabled do not join the set, so re-enabling it leaves
          // them disabled.
          const newlyDisabled = targets.filter(({ id, status }) => status !== 'Disabled' && disabledIds.has(id));
          if (!enabled && newlyDisabled.length > 0) selection.storeLastDisabled(newlyDisabled.map(({ id }) => id));
          selection.deselect(targets);
        },
        onSettled: () => setIsOpen(false),
      },
    );
  const verb = enabled ? 'Enable' : 'Disable';
  const environment = <strong>{session.environment.name}</strong>;
  return {
    isPending: setEnabled.isPending,
    /** Both are stable. */
    askToEnable,
    askToDisable,
    dialog: (
      <ConfirmModal
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={`${verb} ${formatPlural(targets.length, 'integration')}?`}
        confirmLabel={verb}
        danger={!enabled}
        pending={setEnabled.isPending}
        onConfirm={confirm}
      >
        {enabled ? (
          <p className="note">
            Both connections are tested first. Then changes in {environment} sync in both directions again, beginning
            with those that have waited.
          </p>
        ) : (
          <p className="note">
            Until they are enabled again, changes in {environment} do not sync in either direction. No changes are lost:
            the integrations resume where they stopped. The portal remembers this set, so you can enable it again in one
            step.
          </p>
        )}
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
