import { lazy, Suspense } from 'react';
import { SignInPage } from './features/sign-in/sign-in-page.tsx';
import { useStore } from './lib/store.ts';
import { resumeSession, sessionState } from './session/session-store.ts';
import { Splash } from './shell/splash.tsx';

const loadSignedIn = () => import('./signed-in.tsx');
const SignedIn = lazy(loadSignedIn);

/** Sign-in stands in place of every route while no apps list is loaded; the address is left as it is. */
export function App() {
  const state = useStore(sessionState);
  switch (state.phase) {
    case 'starting':
      return <Splash text="Loading …" />;
    case 'unreachable':
      return <Splash text={state.problem.message} onRetry={() => void resumeSession()} />;
    case 'signed-out':
      return <SignInPage notice={state.notice} onIntent={() => void loadSignedIn()} />;
    case 'signed-in':
      return (
        <Suspense fallback={<Splash text="Loading …" />}>
          {/* The key: another user is another page, nothing of the one before stays. */}
          <SignedIn key={`${state.session.environment.name}/${state.session.username}`} />
        </Suspense>
      );
  }
}
