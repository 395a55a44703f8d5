import { useEffect, useRef, useState } from 'react';
import { connectionState } from '../lib/connection.ts';
import { remembered } from '../lib/remembered.ts';
import { useStore } from '../lib/store.ts';
import { Page } from '../ui/page.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';

const onceInMs = 60_000;

/**
 * By itself at most once a minute: a file that is missing for good must not make the page load for
 * ever.
 */
function reloadOnce(): void {
  const last = remembered.get('reloaded-at');
  if (typeof last === 'number' && Date.now() - last < onceInMs) return;
  remembered.set('reloaded-at', Date.now());
  window.location.reload();
}

/**
 * A screen that broke, or whose files could not be fetched. The rest of the portal goes on. Loading
 * the page anew mends most of it, and is done only when the portal answers: otherwise there would
 * be no page at all.
 */
export function PageFailed({ error }: { error: unknown }) {
  const { since } = useStore(connectionState);
  const wasLost = useRef(since !== null);
  const [isAway, setIsAway] = useState(false);

  useEffect(() => {
    if (since !== null) wasLost.current = true;
    else if (wasLost.current) reloadOnce();
  }, [since]);

  const retry = async () => {
    try {
      await fetch('/healthz', { cache: 'no-store' });
      window.location.reload();
    } catch {
      setIsAway(true);
    }
  };

  return (
    <Page
      crumbs={[{ label: 'Problem' }]}
      title="This screen could not be shown"
      lead={isAway ? 'The portal still does not answer.' : 'Trying again loads the page anew, in its newest version.'}
    >
      <ProblemNote problem={error} onRetry={() => void retry()} />
    </Page>
  );
}
