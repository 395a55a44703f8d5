import { useNow } from '../api/use-now.ts';
import { formatDistance, formatInstant, formatRelative } from '../format/instants.ts';
import { useStore } from '../state/store.ts';
import { showsExactTimes, toggleExactTimes } from './exact-times.ts';
import styles from './relative-time.module.css';

/**
 * Shows an instant as "3 min ago", or exactly in local time with its offset; UTC on hover. A click
 * switches all of the page, as does a button in the footer: a tab stop at each would be too many.
 */
export function RelativeTime({ at }: { at: string | number | null }) {
  const now = useNow(15_000);
  const isExact = useStore(showsExactTimes);
  if (at === null) return <span>–</span>;
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{String(at)}</span>;
  const exact = formatInstant(instant, false);
  const relative = formatRelative(instant.getTime(), now);
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.when}
      title={`${exact}\n${formatInstant(instant, true)}`}
      aria-description={isExact ? relative : exact}
      onClick={(event) => {
        event.stopPropagation();
        toggleExactTimes();
      }}
    >
      <time dateTime={instant.toISOString()}>{isExact ? <ExactTime text={exact} /> : relative}</time>
    </button>
  );
}

/** Shows how far an instant is from now, beside its date: "in 11 days". */
export function TimeDistance({ at }: { at: string }) {
  const now = useNow(15_000);
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? null : formatDistance(atMs, now);
}

/** Breaks only between date and time of day, also in a narrow column. */
function ExactTime({ text }: { text: string }) {
  const [date, time] = text.split(', ');
  return (
    <>
      <span className={styles.part}>{date},</span> <span className={styles.part}>{time}</span>
    </>
  );
}
