import { IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { reloadApps } from '../session/change-session.ts';
import { useSession } from '../session/use-session.ts';
import { showProblem } from '../ui/popups.ts';
import styles from './status-line.module.css';

const retryMs = 20_000;

/**
 * Reports that the platform does not return the apps, with the reason, and asks again. Everything
 * that the portal stores itself works in the meantime.
 */
export function LastKnownApps() {
  const { apps, appsProblem } = useSession();
  const isShown = appsProblem !== null;
  useEffect(() => {
    if (!isShown) return;
    // The line stays until an attempt succeeds.
    const timer = setInterval(() => void reloadApps({ fresh: false }).catch(() => undefined), retryMs);
    return () => clearInterval(timer);
  }, [isShown]);
  const retry = () => {
    reloadApps({ fresh: false }).catch((problem) => showProblem('Unable to reload the apps', problem));
  };
  return (
    <div role="status" aria-label="Apps">
      {appsProblem !== null && (
        <div className={styles.warning}>
          <IconPlugConnectedX size={16} stroke={1.7} aria-hidden />
          <span>
            {apps.length === 0
              ? 'Your apps could not be loaded: '
              : 'Your apps are those of the last successful load: '}
            {appsProblem.message} {appsProblem.requestId !== undefined && `Request ${appsProblem.requestId}`}
          </span>
          <button type="button" className="link-button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}
