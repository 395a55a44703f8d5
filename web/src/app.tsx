import { type ComponentType, useEffect, useState } from 'react';
import { SignInPage } from './features/sign-in/sign-in-page.tsx';
import { getUserKey, resumeSession, sessionState, signOut } from './session/session-store.ts';
import { Splash } from './shell/splash.tsx';
import { useStore } from './state/store.ts';

const loadSignedIn = () => import('./signed-in.tsx');

/**
 * Prefetches the signed-in part of the app. Failures are ignored here; the actual load reports
 * them.
 */
function prefetchSignedIn(): void {
  void loadSignedIn().catch(() => {});
}

/**
 * Shows the sign-in page instead of any route until the apps list is loaded. The address does not
 * change.
 */
export function App() {
  const state = useStore(sessionState);
  const shouldPrefetch = state.phase === 'starting' && state.hasSession;
  useEffect(() => {
    if (shouldPrefetch) prefetchSignedIn();
  }, [shouldPrefetch]);
  switch (state.phase) {
    case 'starting':
      return <Splash text="Loading …" />;
    case 'unreachable':
      return (
        <Splash
          text={state.problem.message}
          requestId={state.problem.requestId}
          onRetry={() => void resumeSession()}
          onLeave={() => void signOut()}
        />
      );
    case 'signed-out':
      return <SignInPage notice={state.notice} username={state.username ?? ''} onIntent={prefetchSignedIn} />;
    case 'signed-in':
      // The key resets all state when a different user signs in.
      return <SignedInPage key={getUserKey(state.session)} />;
  }
}

/** Does not use Suspense: React throttles the reveal by 300 ms once a fallback was shown. */
function SignedInPage() {
  const [SignedIn, setSignedIn] = useState<ComponentType | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    loadSignedIn().then(
      (loaded) => setSignedIn(() => loaded.default),
      () => setHasFailed(true),
    );
  }, []);
  if (SignedIn) return <SignedIn />;
  if (!hasFailed) return <Splash text="Loading …" />;
  return (
    <Splash
      text="Part of the page could not be loaded; the portal may have been updated in the meantime."
      onRetry={() => window.location.reload()}
    />
  );
}
