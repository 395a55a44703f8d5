import { IconPlugConnectedX } from '@tabler/icons-react';
import { formatPlural } from '../../format/numbers.ts';
import { getLogState } from '../stream/log-state.ts';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-session.ts';
import { useSecondsUntil } from './use-seconds-until.ts';

/** Whether the banner is shown. */
export function isInterruption(snapshot: StreamSnapshot | null): boolean {
  const state = snapshot && getLogState(snapshot);
  return state === 'interrupted' || state === 'waiting';
}

/**
 * Shows that the stream is interrupted, why, and when the next attempt is. One banner, no popups.
 */
export function ReconnectBanner({ snapshot, onRetryNow }: { snapshot: StreamSnapshot; onRetryNow: () => void }) {
  const seconds = useSecondsUntil(snapshot.retryAt);
  if (!isInterruption(snapshot)) return null;
  const isInterrupted = getLogState(snapshot) === 'interrupted';
  return (
    <div className={styles.banner}>
      <IconPlugConnectedX size={16} stroke={1.7} aria-hidden />
      <span>
        {isInterrupted ? 'The stream is interrupted. Lines already received stay visible. ' : `${snapshot.message} `}
        {seconds > 0 ? `Next attempt in ${formatPlural(seconds, 'second')}.` : 'Reconnecting …'}
      </span>
      {isInterrupted && (
        <button type="button" onClick={onRetryNow}>
          Retry now
        </button>
      )}
    </div>
  );
}
