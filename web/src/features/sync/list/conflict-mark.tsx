import type { SyncIntegration } from '@portal/contract/sync/integration';
import { StatusChip } from '../../../ui/status-chip.tsx';
import { formatConflictCount } from '../records/conflicts/format-conflict-count.ts';
import type { Overlay } from '../sync-address.ts';
import styles from './integration-list.module.css';

/** Counts the conflicts that no one has reviewed, and opens them. */
export function ConflictMark(props: { integration: SyncIntegration; onOpen: (overlay: Overlay) => void }) {
  const { id, conflicts } = props.integration;
  if (conflicts === 0) return null;
  return (
    <button
      type="button"
      className={styles.conflicts}
      title="Both sides changed the same value, and no one has reviewed which won. Shows the conflicts."
      onClick={() => props.onOpen({ kind: 'records', appId: id, tab: 'conflicts' })}
    >
      <StatusChip
        tone="warning"
        label={`${formatConflictCount(conflicts)} ${conflicts === 1 ? 'conflict' : 'conflicts'}`}
      />
    </button>
  );
}
