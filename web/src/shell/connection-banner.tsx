import { IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { connectionState, unavailableParts } from '../api/connection.ts';
import { formatLocalTime } from '../format/instants.ts';
import { useStore } from '../state/store.ts';
import styles from './status-line.module.css';

const restoredShownMs = 3000;

/**
 * Reports a lost connection to the portal, or a part that the portal cannot reach, and the
 * recovery.
 */
export function ConnectionBanner() {
  const { since } = useStore(connectionState);
  const parts = useStore(unavailableParts);
  const isConnectionRestored = useRecovery(since !== null);
  const arePartsRestored = useRecovery(parts.length > 0);
  return (
    <div role="status" aria-label="Connection">
      {since !== null && (
        <Lost>
          Connection to the portal lost at {formatLocalTime(since)}. The data on this page may be outdated. Reconnecting
          …
        </Lost>
      )}
      {parts.map((part) => (
        <Lost key={part}>
          {part.charAt(0).toUpperCase() + part.slice(1)} is unavailable. Everything that needs it fails until it is
          back.
        </Lost>
      ))}
      {isConnectionRestored && <Back>Connected to the portal again.</Back>}
      {arePartsRestored && <Back>All parts of the portal are available again.</Back>}
    </div>
  );
}

/** Returns whether the state just recovered, and refreshes the data on the screen then. */
function useRecovery(isLost: boolean): boolean {
  const queryClient = useQueryClient();
  const wasLost = useRef(false);
  const [isRestored, setIsRestored] = useState(false);

  useEffect(() => {
    if (isLost) {
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
  }, [isLost, queryClient]);
  return isRestored;
}

function Lost({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.warning}>
      <IconPlugConnectedX size={16} stroke={1.7} aria-hidden />
      {/* One element, because the line is a row with gaps. */}
      <span>{children}</span>
    </div>
  );
}

function Back({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.success}>
      <IconPlugConnected size={16} stroke={1.7} aria-hidden />
      {children}
    </div>
  );
}
