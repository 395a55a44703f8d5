import type { OnCall } from '@portal/contract/support-roster';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import styles from './support-roster.module.css';

interface RosterRemarksProps {
  readonly state: Pick<OnCall, 'team' | 'warnings' | 'notes'>;
  /** How many are shown before the rest are counted. Default: all. */
  readonly max?: number;
}

/** What may be missing in the team's roster, and what was left out of it on purpose. */
export function RosterRemarks({
  state: { team, warnings, notes },
  max = Number.POSITIVE_INFINITY,
}: RosterRemarksProps) {
  const remarks = [
    ...warnings.map((text) => ({ text, Icon: IconAlertTriangle, className: styles.warning })),
    ...notes.map((text) => ({ text, Icon: IconInfoCircle, className: styles.hint })),
  ];
  if (remarks.length === 0) return null;
  const more = remarks.length - max;
  return (
    <ul className={styles.remarks} aria-label={`About the roster of ${team}`}>
      {remarks.slice(0, max).map(({ text, Icon, className }) => (
        <li key={text} className={className}>
          <Icon size={15} stroke={1.6} aria-hidden />
          <span>{text}</span>
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}
