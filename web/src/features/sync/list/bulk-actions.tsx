import { Checkbox } from '@mantine/core';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { IconPlayerPlay, IconPlayerStop, IconRestore } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount, formatPlural } from '../../../lib/format.ts';
import { useSession } from '../../../session/use-session.ts';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { useSetEnabled } from '../use-integrations.ts';
import styles from './integration-list.module.css';
import type { Selection } from './use-selection.ts';

/**
 * Enables or disables the selected integrations, and re-enables the set that was last disabled,
 * such as after an upgrade.
 */
export function BulkActions(props: { selection: Selection; integrations: readonly SyncIntegration[] | undefined }) {
  const { selection, integrations = [] } = props;
  const { selected, lastDisabled } = selection;
  const { session } = useSession();
  const setEnabled = useSetEnabled();
  const [isConfirming, setIsConfirming] = useState(false);
  const selectedIntegrations = integrations.filter(({ id }) => selected.has(id));
  const refusal = useAppRefusal('sync.change', ...selectedIntegrations.map(({ id }) => id));
  const reason = refusal ?? (selectedIntegrations.length === 0 ? 'Select the integrations first.' : null);
  const enable = (targets: readonly SyncIntegration[]) =>
    setEnabled.mutate(
      { appIds: targets.map(({ id }) => id), enabled: true },
      { onSuccess: () => selection.selectAll(false) },
    );
  const disable = () =>
    setEnabled.mutate(
      { appIds: selectedIntegrations.map(({ id }) => id), enabled: false },
      {
        onSuccess(results) {
          const disabledIds = new Set(results.flatMap(({ appId, status }) => (status === 'Disabled' ? [appId] : [])));
          // Integrations that were already disabled do not join the set, so re-enabling it leaves
          // them disabled.
          const newlyDisabled = selectedIntegrations.filter(
            ({ id, status }) => status !== 'Disabled' && disabledIds.has(id),
          );
          if (newlyDisabled.length > 0) selection.storeLastDisabled(newlyDisabled.map(({ id }) => id));
          selection.selectAll(false);
        },
        onSettled: () => setIsConfirming(false),
      },
    );
  if (integrations.length === 0) return null;
  return (
    <span className={styles.bulk}>
      <Checkbox
        label={
          selectedIntegrations.length === 0
            ? `Select all ${formatCount(integrations.length)}`
            : `${formatCount(selectedIntegrations.length)} selected`
        }
        checked={selectedIntegrations.length === integrations.length}
        indeterminate={selectedIntegrations.length > 0 && selectedIntegrations.length < integrations.length}
        onChange={(event) => selection.selectAll(event.currentTarget.checked)}
      />
      {selectedIntegrations.length > 0 && (
        <>
          <ExplainedButton
            variant="default"
            size="xs"
            leftSection={<IconPlayerPlay size={14} stroke={1.7} aria-hidden />}
            reason={reason}
            loading={setEnabled.isPending}
            onClick={() => enable(selectedIntegrations)}
          >
            Enable
          </ExplainedButton>
          <ExplainedButton
            variant="default"
            size="xs"
            leftSection={<IconPlayerStop size={14} stroke={1.7} aria-hidden />}
            reason={reason}
            onClick={() => setIsConfirming(true)}
          >
            Disable
          </ExplainedButton>
        </>
      )}
      {selectedIntegrations.length === 0 && lastDisabled.length > 0 && (
        <ExplainedButton
          variant="default"
          size="xs"
          leftSection={<IconRestore size={14} stroke={1.7} aria-hidden />}
          reason={refusal}
          hint={lastDisabled.map(({ appName }) => appName).join(', ')}
          loading={setEnabled.isPending}
          onClick={() => enable(lastDisabled)}
        >
          Enable the last set again ({formatCount(lastDisabled.length)})
        </ExplainedButton>
      )}
      <ConfirmModal
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Disable ${formatPlural(selectedIntegrations.length, 'integration')}?`}
        confirmLabel="Disable"
        danger
        pending={setEnabled.isPending}
        onConfirm={disable}
      >
        <p className="note">
          Until they are enabled again, changes in <strong>{session.environment.name}</strong> do not sync in either
          direction. No changes are lost: the integrations resume where they stopped. The portal remembers this set, so
          you can enable it again in one step.
        </p>
        <ul className={styles.names}>
          {selectedIntegrations.map(({ id, appName }) => (
            <li key={id}>
              <PlatformText text={appName} />
            </li>
          ))}
        </ul>
      </ConfirmModal>
    </span>
  );
}
