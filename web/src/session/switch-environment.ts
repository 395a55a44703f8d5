import type { Environment } from '@portal/contract/environments';
import { switchEnvironment } from '@portal/contract/session-choices';
import { call } from '../api/call.ts';
import { browserStorage } from '../state/browser-storage.ts';
import { announceSession, resumeSession, sessionState, signIn } from './session-store.ts';

/**
 * Switches to an environment in which the user is signed in. Returns false if a sign-in is needed.
 * Throws a CallProblem.
 */
export async function switchTo({ name, baseUrl }: Environment): Promise<boolean> {
  const { switched } = await call(switchEnvironment, { to: name });
  if (!switched) return false;
  if (isAppShown()) window.location.hash = '#/apps';
  browserStorage.set('environment', baseUrl);
  await resumeSession();
  announceSession();
  return true;
}

/** Signs in to another environment, and keeps the session here. Throws a CallProblem. */
export async function signInAndSwitch({ baseUrl }: Environment, userName: string, password: string): Promise<void> {
  const wasAppShown = isAppShown();
  await signIn({ userName, password }, baseUrl, true);
  if (wasAppShown) window.location.hash = '#/apps';
  browserStorage.set('environment', baseUrl);
}

/** Whether the page is that of an app: those of another environment have other ids. */
function isAppShown(): boolean {
  const state = sessionState.get();
  const { hash } = window.location;
  return state.phase === 'signed-in' && state.apps.some(({ id }) => hash.includes(encodeURIComponent(id)));
}
