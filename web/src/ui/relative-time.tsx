import { formatInstant, formatRelative } from '../lib/format.ts';
import { createStore, useStore } from '../lib/store.ts';
import { useNow } from '../lib/use-now.ts';
import styles from './relative-time.module.css';

/** One setting for the whole page: local time or UTC. */
const showsUtc = createStore(false);

/**
 * Shows an instant as "3 min ago", with local time and UTC on hover. A click switches to UTC and
 * back.
 */
export function RelativeTime({ at }: { at: string | number | null }) {
  const now = useNow(15_000);
  const isUtc = useStore(showsUtc);
  if (at === null) return <span>–</span>;
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{String(at)}</span>;
  const tooltip = `${formatInstant(instant, false)}\n${formatInstant(instant, true)}`;
  return (
    <button
      type="button"
      className={styles.when}
      title={tooltip}
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
