import { formatDuration, formatZoneOffset } from '../lib/format.ts';
import { clockLag, getServerNow } from '../lib/server-clock.ts';
import { useStore } from '../lib/store.ts';
import { showsExactTimes, toggleExactTimes } from '../ui/exact-times.ts';
import styles from './footer.module.css';

/** A smaller difference does not mislead. */
const notedLagMs = 60_000;

const readersZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Names the clocks of the times on the page.
 *
 * @param timeZone the zone of the environment, which planned times use; undefined before the
 *   sign-in
 */
export function Footer({ timeZone }: { timeZone?: string }) {
  const lagMs = useStore(clockLag);
  const isExact = useStore(showsExactTimes);
  return (
    <footer className={styles.footer}>
      {Math.abs(lagMs) >= notedLagMs && (
        <p role="status">
          The clock of this computer is {formatDuration(Math.abs(lagMs))} {lagMs > 0 ? 'slow' : 'fast'}. Portal uses the
          server’s clock.
        </p>
      )}
      {timeZone !== undefined && (
        <p>
          <span>
            {timeZone === readersZone
              ? `Times: ${describeClock(timeZone)}`
              : `Planned times: ${describeClock(timeZone)}. Other times: ${describeClock(readersZone)}.`}
          </span>{' '}
          <button type="button" className="link-button" onClick={toggleExactTimes}>
            {isExact ? 'Show relative times' : 'Show exact times'}
          </button>
        </p>
      )}
      Portal · {new Date(getServerNow()).getFullYear()}
    </footer>
  );
}

function describeClock(timeZone: string): string {
  return timeZone === 'UTC' ? timeZone : `${timeZone}, UTC${formatZoneOffset(new Date(getServerNow()), timeZone)}`;
}
