import type { LogLevel } from '@portal/contract/logs';
import { formatCount } from '../../format/numbers.ts';
import { logLevels } from '../text/log-format.ts';
import styles from './log-toolbar.module.css';

const levelLabels: Readonly<Record<LogLevel, string>> = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: 'INFO',
  warning: 'WARNING',
  severe: 'SEVERE',
  error: 'ERROR',
};

/**
 * Toggles the levels and shows the number of entries per level. A stack trace counts once, with its
 * first line.
 */
export function LevelFilter(props: {
  levels: readonly LogLevel[] | null;
  counts: Readonly<Record<LogLevel, number>> | undefined;
  onChange: (levels: readonly LogLevel[] | null) => void;
}) {
  const { levels, counts, onChange } = props;
  // Most apps write neither of the two.
  const offered = logLevels.filter(
    (level) => !(level === 'trace' || level === 'debug') || levels !== null || (counts?.[level] ?? 0) > 0,
  );
  const isVisible = (level: LogLevel) => levels === null || levels.includes(level);
  const toggle = (level: LogLevel) => {
    const next = logLevels.filter((other) => (other === level ? !isVisible(other) : isVisible(other)));
    onChange(next.length === logLevels.length ? null : next);
  };
  return (
    <fieldset className={styles.levels}>
      <legend className="visually-hidden">Levels</legend>
      {offered.map((level) => (
        <button
          key={level}
          type="button"
          className={styles.level}
          data-level={level}
          aria-pressed={isVisible(level)}
          title={`${isVisible(level) ? 'Hide' : 'Show'} ${levelLabels[level]}; Alt-click: only ${levelLabels[level]}. A stack trace counts once, with its first line.`}
          onClick={(event) => (event.altKey ? onChange([level]) : toggle(level))}
        >
          <span className={styles.levelWord}>{levelLabels[level]}</span>
          <span className="numbers">{formatCount(counts?.[level] ?? 0)}</span>
        </button>
      ))}
      {levels !== null && (
        <button
          type="button"
          className={styles.allLevels}
          onClick={({ currentTarget }) => {
            // This button disappears, so the focus moves to the levels first.
            currentTarget.parentElement?.querySelector('button')?.focus();
            onChange(null);
          }}
        >
          All levels
        </button>
      )}
    </fieldset>
  );
}
