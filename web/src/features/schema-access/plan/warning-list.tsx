import { IconAlertTriangle } from '@tabler/icons-react';
import { LongWords } from '../../../ui/long-words.tsx';
import styles from './plan.module.css';

/** Warnings to read before confirming. */
export function WarningList({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className={styles.warnings} role="note" aria-label="Warnings">
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <LongWords text={warning} />
          </li>
        ))}
      </ul>
    </div>
  );
}
