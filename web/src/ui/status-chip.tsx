import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './status-chip.module.css';
import type { Tone } from './tone.ts';

const icons = {
  neutral: IconCircleDashed,
  primary: IconInfoCircle,
  success: IconCircleCheck,
  warning: IconAlertTriangle,
  danger: IconCircleX,
} as const;

/** Shows a state with icon, text and color, never by color alone. */
export function StatusChip({ tone, label, icon }: { tone: Tone; label: string; icon?: ReactNode }) {
  const Icon = icons[tone];
  return (
    <span className={styles.chip} data-tone={tone}>
      {icon ?? <Icon size={13} stroke={1.8} aria-hidden />}
      {label}
    </span>
  );
}
