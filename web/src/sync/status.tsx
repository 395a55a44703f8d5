import { type SyncHealth, type SyncStatus, syncHealthRule } from '@portal/contract/sync/integration';
import { IconAlertTriangle, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { formatDuration } from '../format/durations.ts';
import { StatusChip } from '../ui/status-chip.tsx';
import type { Tone } from '../ui/tone.ts';
import styles from './status.module.css';

const statuses = {
  Enabled: { tone: 'success', Icon: IconPlayerPlay },
  Disabled: { tone: 'warning', Icon: IconPlayerStop },
  Halted: { tone: 'danger', Icon: IconAlertTriangle },
} as const;

/** Shows the status of an integration with the specified icon and color. */
export function SyncStatusChip({ status }: { status: SyncStatus }) {
  const { tone, Icon } = statuses[status];
  return <StatusChip tone={tone} label={status} icon={<Icon size={13} stroke={1.8} aria-hidden />} />;
}

const healthTones: Readonly<Record<SyncHealth, Tone>> = {
  Fresh: 'success',
  Late: 'warning',
  Stale: 'danger',
  Idle: 'neutral',
};

const [lateAfter, staleAfter] = [syncHealthRule.lateAfterMs, syncHealthRule.staleAfterMs].map(formatDuration);

export const syncHealthHint = `Fresh: both sides responded within the last ${lateAfter}, no change has waited longer, and no direction, object or record is held up. Late: one of these is not true. Stale: halted, or a change or an answer is overdue by more than ${staleAfter}. Idle: disabled, with nothing waiting.`;

/**
 * Shows the sync health of an integration. A click opens details; hover and focus explain the rule.
 */
export function SyncHealthButton({ health, onClick }: { health: SyncHealth; onClick: () => void }) {
  return (
    <button
      type="button"
      className={styles.health}
      data-hint={syncHealthHint}
      aria-description={syncHealthHint}
      onClick={onClick}
    >
      <StatusChip tone={healthTones[health]} label={health} />
    </button>
  );
}

/** The non-interactive variant of SyncHealthButton. */
export function SyncHealthChip({ health }: { health: SyncHealth }) {
  return (
    <span title={syncHealthHint}>
      <StatusChip tone={healthTones[health]} label={health} />
    </span>
  );
}
