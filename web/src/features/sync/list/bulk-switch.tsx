import { Checkbox } from '@mantine/core';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { IconPlayerPlay, IconPlayerStop, IconRestore } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount, formatPlural } from '../../../lib/format.ts';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { useSwitch } from '../use-integrations.ts';
import styles from './integration-list.module.css';
import type { Selection } from './use-selection.ts';

/**
 * Enables or disables what is selected, and what was disabled together last: after an upgrade, say.
 */
export function BulkSwitch(props: {
  selection: Selection;
  integrations: readonly SyncIntegration[] | undefined;
  refusal: string | null;
}) {
  const { selection, integrations = [], refusal } = props;
  const { selected, disabledTogether } = selection;
  const { session } = useSession();
  const act = useSwitch();
  const [isAsking, setIsAsking] = useState(false);
  const meant = integrations.filter(({ id }) => selected.has(id));
  const reason = refusal ?? (meant.length === 0 ? 'Select the integrations first.' : null);
  const enable = (of: readonly SyncIntegration[]) =>
    act.mutate({ appIds: of.map(({ id }) => id), enabled: true }, { onSuccess: () => selection.selectAll(false) });
  const disable = () =>
    act.mutate(
      { appIds: meant.map(({ id }) => id), enabled: false },
      {
        onSuccess(answer) {
          const isOff = new Set(answer.flatMap(({ appId, status }) => (status === 'Disabled' ? [appId] : [])));
          // What was disabled before is none of the set: to enable the set again leaves it as it
          // was.
          const together = meant.filter(({ id, status }) => status !== 'Disabled' && isOff.has(id));
          if (together.length > 0) selection.rememberDisabled(together.map(({ id }) => id));
          selection.selectAll(false);
        },
        onSettled: () => setIsAsking(false),
      },
    );
  if (integrations.length === 0) return null;
  return (
    <span className={styles.bulk}>
      <Checkbox
        label={
          meant.length === 0
            ? `Select all ${formatCount(integrations.length)}`
            : `${formatCount(meant.length)} selected`
        }
        checked={meant.length === integrations.length}
        indeterminate={meant.length > 0 && meant.length < integrations.length}
        onChange={(event) => selection.selectAll(event.currentTarget.checked)}
      />
      {meant.length > 0 && (
        <>
          <ExplainedButton
            variant="default"
            size="xs"
            leftSection={<IconPlayerPlay size={14} stroke={1.7} aria-hidden />}
            reason={reason}
            loading={act.isPending}
            onClick={() => enable(meant)}
          >
            Enable
          </ExplainedButton>
          <ExplainedButton
            variant="default"
            size="xs"
            leftSection={<IconPlayerStop size={14} stroke={1.7} aria-hidden />}
            reason={reason}
            onClick={() => setIsAsking(true)}
          >
            Disable
          </ExplainedButton>
        </>
      )}
      {meant.length === 0 && disabledTogether.length > 0 && (
        <ExplainedButton
          variant="default"
          size="xs"
          leftSection={<IconRestore size={14} stroke={1.7} aria-hidden />}
          reason={refusal}
          hint={disabledTogether.map(({ appName }) => appName).join(', ')}
          loading={act.isPending}
          onClick={() => enable(disabledTogether)}
        >
          Enable the same set again ({formatCount(disabledTogether.length)})
        </ExplainedButton>
      )}
      <ConfirmModal
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Disable ${formatPlural(meant.length, 'integration')}?`}
        confirmLabel="Disable"
        danger
        pending={act.isPending}
        onConfirm={disable}
      >
        <p className="note">
          Until they are enabled again, changes in <strong>{session.environment.name}</strong> are carried over in
          neither direction. Nothing is lost: they go on where they stopped. The set is remembered, so that it can be
          enabled again together.
        </p>
        <ul className={styles.names}>
          {meant.map(({ id, appName }) => (
            <li key={id}>{appName}</li>
          ))}
        </ul>
      </ConfirmModal>
    </span>
  );
}
