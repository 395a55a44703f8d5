import type { ReactNode } from 'react';
import { clockLag, getServerNow } from '../api/server-clock.ts';
import { formatDuration } from '../format/durations.ts';
import { useStore } from '../state/store.ts';
import styles from './footer.module.css';

/** A smaller difference does not mislead. */
const notedLagMs = 60_000;

/** The footer of a page; `children` are shown only after the sign-in. */
export function Footer({ children }: { children?: ReactNode }) {
  const lagMs = useStore(clockLag);
  return (
    <footer className={styles.footer}>
      {Math.abs(lagMs) >= notedLagMs && (
        <p role="status">
          The clock of this computer is {formatDuration(Math.abs(lagMs))} {lagMs > 0 ? 'slow' : 'fast'}. Portal uses the
          server’s clock.
        </p>
      )}
      {children}
      Portal · {new Date(getServerNow()).getFullYear()}
    </footer>
  );
}
