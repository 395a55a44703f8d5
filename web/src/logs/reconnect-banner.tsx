import { IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { formatPlural } from '../lib/format.ts';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-stream.ts';

/**
 * Shows that the stream is interrupted, why, and when the next attempt is. One banner, no popups.
 */
export function ReconnectBanner({ snapshot, onRetryNow }: { snapshot: StreamSnapshot; onRetryNow: () => void }) {
  const isPageWaiting = snapshot.phase === 'waiting';
  if (!isPageWaiting && !(snapshot.phase === 'streaming' && snapshot.retryAt !== null)) return null;
  return (
    <div className={styles.banner}>
      <IconPlugConnectedX size={16} stroke={1.7} aria-hidden />
      <span>
        {isPageWaiting ? 'The stream is interrupted. Lines already received stay visible. ' : `${snapshot.message} `}
        <Countdown until={snapshot.retryAt} />
      </span>
      {isPageWaiting && (
        <button type="button" onClick={onRetryNow}>
          Retry now
        </button>
      )}
    </div>
  );
}

function Countdown({ until }: { until: number | null }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil(((until ?? now) - now) / 1000);
  return seconds > 0 ? `Next attempt in ${formatPlural(seconds, 'second')}.` : 'Reconnecting …';
}
