import { IconInfoCircle } from '@tabler/icons-react';
import { formatLocalTime } from '../format/instants.ts';
import { useSession } from '../session/use-session.ts';
import styles from './status-line.module.css';

/** Shows on every screen that the session is read-only, until when, and how to leave it. */
export function ReadOnlyLine() {
  const { session } = useSession();
  return (
    <p className={styles.info}>
      <IconInfoCircle size={16} stroke={1.7} aria-hidden />
      <span>
        Read-only. This browser stays signed in until {formatLocalTime(Date.parse(session.expiresAt))}. To change
        anything, sign out and sign in again.
      </span>
    </p>
  );
}
