import { IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { countOf } from '../lib/format.ts';
import styles from './log-panel.module.css';
import type { StreamSnapshot } from './log-stream.ts';

/**
 * Says that lines do not come at the moment, why, and when it is tried again; one banner, no
 * popups.
 */
export function ReconnectBanner({ snapshot, onTryNow }: { snapshot: StreamSnapshot; onTryNow: () => void }) {
  const isPageWaiting = snapshot.phase === 'waiting';
  if (!isPageWaiting && !(snapshot.phase === 'streaming' && snapshot.retryAt !== null)) return null;
  return (
    <div className={styles.banner}>
      <IconPlugConnectedX size={16} stroke={1.7} aria-hidden />
      <span>
        {isPageWaiting ? 'The stream is interrupted; what is shown stays. ' : `${snapshot.message} `}
        <Countdown until={snapshot.retryAt} />
      </span>
      {isPageWaiting && (
        <button type="button" onClick={onTryNow}>
          Try now
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
  return seconds > 0 ? `Trying again in ${countOf(seconds, 'second')}.` : 'Trying again now.';
}
