import { useEffect, useRef, useState } from 'react';
import { connectionState } from '../api/connection.ts';
import { browserStorage } from '../state/browser-storage.ts';
import { useStore } from '../state/store.ts';
import { Page } from '../ui/page.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';

const minReloadIntervalMs = 60_000;

/**
 * Reloads automatically at most once a minute, so that a missing file does not cause an endless
 * loop.
 */
function reloadIfNotRecent(): void {
  const last = browserStorage.get('reloaded-at');
  if (typeof last === 'number' && Date.now() - last < minReloadIntervalMs) return;
  browserStorage.set('reloaded-at', Date.now());
  window.location.reload();
}

/**
 * Replaces a screen that crashed or could not be loaded; the rest of the portal keeps working. A
 * reload fixes most failures, but only happens when the portal responds: otherwise the page would
 * be lost.
 */
export function PageFailed({ error }: { error: unknown }) {
  const { since } = useStore(connectionState);
  const wasLost = useRef(since !== null);
  const [isUnreachable, setIsUnreachable] = useState(false);

  useEffect(() => {
    if (since !== null) wasLost.current = true;
    else if (wasLost.current) reloadIfNotRecent();
  }, [since]);

  const retry = async () => {
    try {
      await fetch('/healthz', { cache: 'no-store' });
      window.location.reload();
    } catch {
      setIsUnreachable(true);
    }
  };

  return (
    <Page
      crumbs={[{ label: 'Problem' }]}
      title="This page could not be shown"
      lead={
        isUnreachable ? 'The portal still does not respond.' : 'Try again to reload the page with the latest version.'
      }
    >
      <ProblemNote problem={error} onRetry={() => void retry()} />
    </Page>
  );
}
