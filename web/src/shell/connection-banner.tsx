import { IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { connectionState } from '../lib/connection.ts';
import { formatLocalTime } from '../lib/format.ts';
import { useStore } from '../lib/store.ts';
import styles from './connection-banner.module.css';

const restoredShownMs = 3000;

/**
 * Reports a lost connection to the portal and its recovery, then refreshes the data on the screen.
 */
export function ConnectionBanner() {
  const { since } = useStore(connectionState);
  const queryClient = useQueryClient();
  const wasLost = useRef(false);
  const [isRestored, setIsRestored] = useState(false);

  useEffect(() => {
    if (since !== null) {
      wasLost.current = true;
      setIsRestored(false);
      return;
    }
    if (!wasLost.current) return;
    wasLost.current = false;
    setIsRestored(true);
    void queryClient.invalidateQueries();
    const timer = setTimeout(() => setIsRestored(false), restoredShownMs);
    return () => clearTimeout(timer);
  }, [since, queryClient]);

  return (
    <div role="status" aria-label="Connection">
      {since !== null && (
        <div className={styles.lost}>
          <IconPlugConnectedX size={16} stroke={1.7} aria-hidden />
          Connection to the portal lost at {formatLocalTime(since)}. The data on this page may be outdated. Reconnecting
          …
        </div>
      )}
      {isRestored && (
        <div className={styles.back}>
          <IconPlugConnected size={16} stroke={1.7} aria-hidden />
          Connected to the portal again.
        </div>
      )}
    </div>
  );
}
