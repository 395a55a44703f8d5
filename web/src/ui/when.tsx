import { useEffect, useState } from 'react';
import { createStore, useStore } from '../lib/store.ts';
import { formatInstant, formatRelative } from './instant.ts';
import styles from './when.module.css';

/** One choice for the whole page: local time or UTC. */
const shownInUtc = createStore(false);

/** The same beat for every instant on the page. */
function useNow(beatMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), beatMs);
    return () => clearInterval(timer);
  }, [beatMs]);
  return now;
}

/** An instant: "3 min ago", exact in local time and UTC on hover; a click shows UTC instead, another one goes back. */
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
