/** What a signed-in user does with the session; the page before the sign-in does not load it. */
import { makeSessionReadOnly } from '@portal/contract/session';
import { call } from '../api/call.ts';
import { loadApps, rememberApps } from './app-list.ts';
import { announceSession, followSession, getUserKey, sessionState, updateSignedIn } from './session-store.ts';

/**
 * Makes the session read-only on this page, in other tabs and on the server: it then stays signed
 * in without use. Throws a CallProblem.
 */
export async function makeReadOnly(): Promise<void> {
  await call(makeSessionReadOnly, undefined);
  await followSession();
  announceSession();
}

/**
 * Reloads the apps; keeps the old list on failure, and throws a CallProblem.
 *
 * @param fresh Whether the platform must answer now.
 */
export async function reloadApps({ fresh }: { readonly fresh: boolean }): Promise<void> {
  const loaded = await loadApps({ fresh });
  const state = sessionState.get();
  if (state.phase !== 'signed-in') return;
  rememberApps(getUserKey(state.session), loaded.apps);
  updateSignedIn(loaded);
}
