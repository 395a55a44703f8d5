import { IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { connectionState } from '../lib/connection.ts';
import { formatLocalTime } from '../lib/format.ts';
import { useStore } from '../lib/store.ts';
import styles from './connection-banner.module.css';

const backShownMs = 3000;

/**
 * Says once that the portal does not answer, and once that it does again; then what is on the
 * screen is refreshed.
 */
export function ConnectionBanner() {
  const { since } = useStore(connectionState);
  const queryClient = useQueryClient();
  const wasLost = useRef(false);
  const [isBack, setIsBack] = useState(false);

  useEffect(() => {
    if (since !== null) {
      wasLost.current = true;
      setIsBack(false);
      return;
    }
    if (!wasLost.current) return;
    wasLost.current = false;
    setIsBack(true);
    void queryClient.invalidateQueries();
    const timer = setTimeout(() => setIsBack(false), backShownMs);
    return () => clearTimeout(timer);
  }, [since, queryClient]);

  return (
    <div role="status" aria-label="Connection">
      {since !== null && (
        <div className={styles.lost}>
          <IconPlugConnectedX size={16} stroke={1.7} aria-hidden />
          Connection to the portal lost at {formatLocalTime(since)}. What you see may be old; trying again …
        </div>
      )}
      {isBack && (
        <div className={styles.back}>
          <IconPlugConnected size={16} stroke={1.7} aria-hidden />
          Connection to the portal is back.
        </div>
      )}
    </div>
  );
}
