import { useEffect, useState } from 'react';
import { formatInstant, formatRelative } from '../lib/format.ts';
import { createStore, useStore } from '../lib/store.ts';
import styles from './when.module.css';

/** One choice for the whole page: local time or UTC. */
const shownInUtc = createStore(false);

/**
 * Now, looked at again on each beat. Read at each rendering too: an instant that is newer than the
 * last beat, a change just made, must not seem to lie ahead.
 */
function useNow(beatMs: number): number {
  const [, setBeat] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setBeat((beat) => beat + 1), beatMs);
    return () => clearInterval(timer);
  }, [beatMs]);
  return Date.now();
}

/**
 * An instant: "3 min ago", exact in local time and UTC on hover; a click shows UTC instead, another
 * one goes back.
 */
export function When({ at }: { at: string | number | null }) {
  const now = useNow(15_000);
  const inUtc = useStore(shownInUtc);
  if (at === null) return <span>–</span>;
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{String(at)}</span>;
  const both = `${formatInstant(instant, false)}\n${formatInstant(instant, true)}`;
  return (
    <button
      type="button"
      className={styles.when}
      title={both}
      aria-description={inUtc ? 'Show how long ago' : 'Show in UTC'}
      onClick={(event) => {
        event.stopPropagation();
        shownInUtc.set(!inUtc);
      }}
    >
      <time dateTime={instant.toISOString()}>
        {inUtc ? formatInstant(instant, true) : formatRelative(instant.getTime(), now)}
      </time>
    </button>
  );
}
