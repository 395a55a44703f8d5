import type { SyncIntegration } from '@portal/contract/sync/integration';
import { IconPlayerPlay, IconPlayerStop, IconRestore } from '@tabler/icons-react';
import { formatCount } from '../../../format/numbers.ts';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { CheckBox } from '../../../ui/check-box.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import styles from './integration-list.module.css';
import type { Enabling } from './use-enabling.tsx';
import type { Selection } from './use-selection.ts';

/**
 * Enables or disables the selected integrations, and re-enables the set that was last disabled,
 * such as after an upgrade.
 */
export function BulkActions(props: {
  selection: Selection;
  enabling: Enabling;
  /** All that can be selected. */
  integrations: readonly SyncIntegration[];
  /** How many are listed without a search, and which of them the search found. */
  listedCount: number;
  found: readonly SyncIntegration[];
}) {
  const { selection, enabling, integrations, listedCount, found } = props;
  const { selected, lastDisabled } = selection;
  const selectedIntegrations = integrations.filter(({ id }) => selected.has(id));
  const refusal = useAppRefusal('sync.change', ...selectedIntegrations.map(({ id }) => id));
  const reason = refusal ?? (selectedIntegrations.length === 0 ? 'Select the integrations first.' : null);
  const count = selectedIntegrations.length;
  const foundCount = found.filter(({ id }) => selected.has(id)).length;
  if (found.length === 0 && count === 0) return null;
  return (
    <span className={styles.bulk}>
      <CheckBox
        label={
          count > 0
            ? describeSelection(count, count - foundCount)
            : found.length < listedCount
              ? `Select the ${formatCount(found.length)} found`
              : `Select all ${formatCount(found.length)}`
        }
        checked={count > 0 && foundCount === found.length}
        isPartial={count > 0 && foundCount < found.length}
        onChange={(isChosen) => (isChosen ? selection.selectAll(found) : selection.clear())}
      />
      {count > 0 && (
        <>
          <ExplainedButton
            variant="default"
            size="xs"
            leftSection={<IconPlayerPlay size={14} stroke={1.7} aria-hidden />}
            reason={reason}
            loading={enabling.isPending}
            onClick={() => enabling.askToEnable(selectedIntegrations)}
          >
            Enable
          </ExplainedButton>
          <ExplainedButton
            variant="default"
            size="xs"
            leftSection={<IconPlayerStop size={14} stroke={1.7} aria-hidden />}
            reason={reason}
            onClick={() => enabling.askToDisable(selectedIntegrations)}
          >
            Disable
          </ExplainedButton>
        </>
      )}
      {count === 0 && lastDisabled.length > 0 && (
        <ExplainedButton
          variant="default"
          size="xs"
          leftSection={<IconRestore size={14} stroke={1.7} aria-hidden />}
          reason={refusal}
          hint={lastDisabled.map(({ appName }) => appName).join(', ')}
          loading={enabling.isPending}
          onClick={() => enabling.askToEnable(lastDisabled)}
        >
          Enable the last set again ({formatCount(lastDisabled.length)})
        </ExplainedButton>
      )}
    </span>
  );
}

function describeSelection(count: number, hidden: number): string {
  const selected = `${formatCount(count)} selected`;
  return hidden > 0 ? `${selected}, ${formatCount(hidden)} not shown` : selected;
}
