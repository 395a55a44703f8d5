import { IconAlertTriangle } from '@tabler/icons-react';
import { toWallClock } from '../../../format/wall-clock.ts';
import { usePaused } from '../../../state/use-paused.ts';
import { LongWords } from '../../../ui/long-words.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import type { ConflictsLoad } from '../use-deployments.ts';
import styles from './wizard.module.css';

/**
 * Warnings that do not block the release: a tag that does not match it, and conflicting
 * deployments.
 */
export function ReleaseChecks(props: { warnings: readonly string[]; conflicts: ConflictsLoad; timeZone: string }) {
  const { conflicts, timeZone } = props;
  const found = conflicts.data ?? [];
  // A new warning waits until the user pauses; one that is no longer true disappears at once.
  const paused = usePaused(props.warnings.join('\n')).split('\n');
  const warnings = props.warnings.filter((warning) => paused.includes(warning));
  return (
    <div role="status">
      {warnings.length + found.length > 0 && (
        <ul className={styles.checks} aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>
              <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
              <span>
                <LongWords text={warning} />
              </span>
            </li>
          ))}
          {found.map(({ id, releaseName, team, deploymentDate, reasons }) => (
            <li key={id}>
              <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
              <span>
                <strong>{releaseName}</strong> of {team} is scheduled for{' '}
                {toWallClock(new Date(deploymentDate), timeZone).slice(0, 16)}: {reasons.join(', ')}.
              </span>
            </li>
          ))}
        </ul>
      )}
      {conflicts.isError && <ProblemNote problem={conflicts.error} onRetry={() => void conflicts.refetch()} />}
    </div>
  );
}
