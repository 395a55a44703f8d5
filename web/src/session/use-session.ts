import type { App } from '@portal/contract/apps';
import type { Action, Session } from '@portal/contract/session';
import { useMemo } from 'react';
import { useStore } from '../lib/store.ts';
import { sessionState } from './session-store.ts';

/** Who is signed in, and the apps they see. Only inside the signed-in tree; elsewhere it throws. */
export function useSession(): { session: Session; apps: readonly App[] } {
  const state = useStore(sessionState);
  if (state.phase !== 'signed-in') throw new Error('There is no session here.');
  return state;
}

/** The app with this id, or null when this user does not see one. */
export function useApp(appId: string): App | null {
  const { apps } = useSession();
  return useMemo(() => apps.find((app) => app.id === appId) ?? null, [apps, appId]);
}

/** Why this user may not do this here, in words, or null when they may. */
export function useRefusal(action: Action): string | null {
  return useSession().session.refusals[action] ?? null;
}
