import { Tooltip } from '@mantine/core';
import '@mantine/core/styles/Tooltip.layer.css';
import { type SyncHealth, type SyncStatus, syncHealthRule } from '@portal/contract/sync-integration';
import { IconAlertTriangle, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { formatDuration } from '../lib/format.ts';
import { StatusChip } from '../ui/status-chip.tsx';
import type { Tone } from '../ui/tone.ts';
import styles from './sync-status.module.css';

const statuses = {
  Enabled: { tone: 'success', Icon: IconPlayerPlay },
  Disabled: { tone: 'warning', Icon: IconPlayerStop },
  Halted: { tone: 'danger', Icon: IconAlertTriangle },
} as const;

/** The status of an integration, with the specified icon and colour. */
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

const [late, stale] = [syncHealthRule.lateAfterMs, syncHealthRule.staleAfterMs].map(formatDuration);

export const syncHealthSentence = `Fresh: both sides answered within the last ${late} and no change waits longer. Late: within ${stale}. Stale: longer than that. Idle: not enabled.`;

/**
 * Whether an enabled integration really works; pressing it shows more. The rule is told on hover
 * and on focus.
 */
export function SyncHealthButton({ health, onClick }: { health: SyncHealth; onClick: () => void }) {
  return (
    <Tooltip label={syncHealthSentence} events={{ hover: true, focus: true, touch: true }} multiline maw={320}>
      <button type="button" className={styles.health} aria-description={syncHealthSentence} onClick={onClick}>
        <StatusChip tone={healthTones[health]} label={health} />
      </button>
    </Tooltip>
  );
}

/** The same where there is nothing to press; the rule stands elsewhere. */
export function SyncHealthChip({ health }: { health: SyncHealth }) {
  return (
    <span title={syncHealthSentence}>
      <StatusChip tone={healthTones[health]} label={health} />
    </span>
  );
}
