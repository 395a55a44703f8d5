import type { Action } from '@portal/contract/actions';
import type { App } from '@portal/contract/apps';
import { readOnlyReason, type Session } from '@portal/contract/session';
import { useMemo } from 'react';
import { useStore } from '../state/store.ts';
import type { LoadedApps } from './app-list.ts';
import { sessionState } from './session-store.ts';

/** Returns the session and the user's apps. Throws outside the signed-in tree. */
export function useSession(): { readonly session: Session } & LoadedApps {
  const state = useStore(sessionState);
  if (state.phase !== 'signed-in') throw new Error('There is no session here.');
  return state;
}

/** Returns the app with this id, or null when the user has no access to one. */
export function useApp(appId: string): App | null {
  const { apps } = useSession();
  return useMemo(() => apps.find((app) => app.id === appId) ?? null, [apps, appId]);
}

/** Returns why the user may not perform an action, or null when they may. */
export function useRefusal(action: Action): string | null {
  return useSession().session.refusals[action] ?? null;
}

/** Returns why a read-only session may not make a call that is recorded; null in other sessions. */
export function useReadOnlyRefusal(): string | null {
  return useSession().session.isReadOnly ? readOnlyReason : null;
}
