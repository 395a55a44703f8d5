import { type ComponentType, useEffect, useState } from 'react';
import { SignInPage } from './features/sign-in/sign-in-page.tsx';
import { useStore } from './lib/store.ts';
import { resumeSession, sessionState, signOut } from './session/session-store.ts';
import { Splash } from './shell/splash.tsx';

const loadSignedIn = () => import('./signed-in.tsx');

/**
 * Fetches what lies behind the sign-in before it is needed; whether that works is seen when it is.
 */
function fetchAhead(): void {
  void loadSignedIn().catch(() => {});
}

/**
 * Sign-in stands in place of every route while no apps list is loaded; the address is left as it
 * is.
 */
export function App() {
  const state = useStore(sessionState);
  const isExpected = state.phase === 'starting' && state.isKnown;
  useEffect(() => {
    if (isExpected) fetchAhead();
  }, [isExpected]);
  switch (state.phase) {
    case 'starting':
      return <Splash text="Loading …" />;
    case 'unreachable':
      return (
        <Splash text={state.problem.message} onRetry={() => void resumeSession()} onLeave={() => void signOut()} />
      );
    case 'signed-out':
      return <SignInPage notice={state.notice} onIntent={fetchAhead} />;
    case 'signed-in':
      // The key: another user is another page, nothing of the one before stays.
      return <BehindSignIn key={`${state.session.environment.name}/${state.session.username}`} />;
  }
}

/** Not by Suspense, which holds what has arrived back for 300 ms once its fallback was shown. */
function BehindSignIn() {
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
      text="A part of the page could not be fetched; the portal may have been updated meanwhile."
      onRetry={() => window.location.reload()}
    />
  );
}
