import { useEffect, useState } from 'react';
import { formatInstant, formatRelative } from '../lib/format.ts';
import { getServerNow } from '../lib/server-clock.ts';
import { createStore, useStore } from '../lib/store.ts';
import styles from './relative-time.module.css';

/** One setting for the whole page: local time or UTC. */
const showsUtc = createStore(false);

/**
 * Re-renders at an interval and returns the server's time. Also reads the clock on each render, so
 * that a change just made is not shown in the future.
 */
function useNow(intervalMs: number): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return getServerNow();
}

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
