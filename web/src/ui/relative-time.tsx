import { createContext, useContext } from 'react';
import { formatInstant, formatRelative } from '../lib/format.ts';
import { createStore, useStore } from '../lib/store.ts';
import { useNow } from '../lib/use-now.ts';
import styles from './relative-time.module.css';

/** One setting for the whole page: local time or UTC. */
const showsUtc = createStore(false);

/**
 * True in all rows of a table but the first. The setting is one for the whole page, so that a stop
 * of Tab in each row would lead nowhere new.
 */
export const RepeatsControls = createContext(false);

/**
 * Shows an instant as "3 min ago", with local time and UTC on hover. A click switches to UTC and
 * back.
 */
export function RelativeTime({ at }: { at: string | number | null }) {
  const now = useNow(15_000);
  const isUtc = useStore(showsUtc);
  const isRepeated = useContext(RepeatsControls);
  if (at === null) return <span>–</span>;
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{String(at)}</span>;
  const tooltip = `${formatInstant(instant, false)}\n${formatInstant(instant, true)}`;
  return (
    <button
      type="button"
      className={styles.when}
      title={tooltip}
      tabIndex={isRepeated ? -1 : undefined}
      aria-description={isUtc ? 'Show relative time' : 'Show in UTC'}
      onClick={(event) => {
        event.stopPropagation();
        showsUtc.set(!isUtc);
      }}
    >
      <time dateTime={instant.toISOString()}>
        {isUtc ? formatInstant(instant, true) : formatRelative(instant.getTime(), now)}
      </time>
    </button>
  );
}
