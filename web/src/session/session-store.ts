import { type Credentials, getApps } from '@portal/contract/apps';
import { deleteSession, getSession, type Session } from '@portal/contract/session';
import { call, onSessionEnd } from '../api/call.ts';
import { CallProblem } from '../api/call-problem.ts';
import { browserStorage } from '../state/browser-storage.ts';
import { createStore } from '../state/store.ts';
import { forgetApps, type LoadedApps, readLastApps, rememberApps, tryLoadApps } from './app-list.ts';
import { noteLifetime } from './session-lifetime.ts';

export type SessionState =
  /** `hasSession`: the session is confirmed, only the apps are still loading. */
  | { readonly phase: 'starting'; readonly hasSession: boolean }
  | { readonly phase: 'unreachable'; readonly problem: CallProblem }
  /**
   * `notice` explains why the user was signed out, or is null when they chose to. `username` is who
   * may sign in again.
   */
  | { readonly phase: 'signed-out'; readonly notice: string | null; readonly username?: string }
  | ({ readonly phase: 'signed-in'; readonly session: Session } & LoadedApps);

export const sessionState = createStore<SessionState>({ phase: 'starting', hasSession: wasSignedIn() });

/** Notifies the other tabs of this browser, which share the session cookie. */
const otherTabs = new BroadcastChannel('portal.session');

/** Follows the other tabs as long as the page is open. */
export function followOtherTabs(): void {
  otherTabs.onmessage = ({ data }) => {
    if (data === 'signed-out') endSession(null);
    else void followSession();
  };
  // A tab in the background may have missed the message.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void followSession();
  });
}

/**
 * Shows the user of the cookie's session, which another tab may have replaced: this page's calls
 * would be that user's. If there is no session any more, the call says so.
 */
export async function followSession(): Promise<void> {
  const state = sessionState.get();
  if (state.phase !== 'signed-in') return;
  const session = await loadSession().catch(() => null);
  if (session === null) return;
  if (getUserKey(session) !== getUserKey(state.session)) return resumeSession();
  // Another tab, or another browser, may have changed its settings.
  updateSignedIn({ session });
}

async function loadSession(): Promise<Session> {
  const sentAtMs = Date.now();
  const session = await call(getSession, undefined);
  noteLifetime(session.lifetime, sentAtMs);
  return session;
}

export function updateSignedIn(change: { readonly session?: Session } | LoadedApps): void {
  const current = sessionState.get();
  if (current.phase === 'signed-in') sessionState.set({ ...current, ...change });
}

/** Identifies a user in an environment. */
export function getUserKey({ environment, username }: Session): string {
  return `${environment.name}/${username}`;
}

/**
 * True while the user signs out. Calls and sockets then fail with an ended session, which needs no
 * notice.
 */
let isSigningOut = false;

onSessionEnd(() => {
  const state = sessionState.get();
  if (isSigningOut || state.phase !== 'signed-in') return;
  endSession('Your session has ended. Sign in again to continue where you left off.');
  void followReplaced(state.session);
});

/** Shows the session that another tab has switched to, if that is why this one is over. */
async function followReplaced(ended: Session): Promise<void> {
  const session = await loadSession().catch(() => null);
  if (session !== null && getUserKey(session) !== getUserKey(ended)) await resumeSession();
}

function endSession(notice: string | null): void {
  const state = sessionState.get();
  if (state.phase !== 'signed-in') return;
  const { username } = state.session;
  forgetApps();
  sessionState.set({ phase: 'signed-out', notice, ...(notice !== null && { username }) });
}

/**
 * Loads the session and the apps: in parallel if this browser was signed in before, otherwise one
 * after the other. The portal is there while the platform is not: if the apps cannot be loaded,
 * they are the last ones that this tab has shown.
 */
async function loadSessionAndApps(): Promise<{ readonly session: Session } & LoadedApps> {
  const early = wasSignedIn() ? tryLoadApps() : undefined;
  const [session] = await Promise.all([loadSession(), early]);
  if (!early) sessionState.set({ phase: 'starting', hasSession: true });
  const loaded = await (early ?? tryLoadApps());
  const user = getUserKey(session);
  if (loaded instanceof CallProblem) return { session, apps: readLastApps(user), appsProblem: loaded };
  rememberApps(user, loaded.apps);
  return { session, ...loaded };
}

/** A hint for performance only; just the server knows whether there is a session. */
function wasSignedIn(): boolean {
  return browserStorage.get('signed-in') === true;
}

sessionState.subscribe(() => {
  const { phase } = sessionState.get();
  if (phase === 'signed-in' || phase === 'signed-out') browserStorage.set('signed-in', phase === 'signed-in');
});

/** Resumes the session of the browser's cookie, if any, so that a reload stays signed in. */
export async function resumeSession(): Promise<void> {
  sessionState.set({ phase: 'starting', hasSession: wasSignedIn() });
  try {
    sessionState.set({ phase: 'signed-in', ...(await loadSessionAndApps()) });
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error;
    // Only a 401 means signed out. Failures of the platform or the portal do not end the session.
    if (error.status === 401) sessionState.set({ phase: 'signed-out', notice: null });
    else sessionState.set({ phase: 'unreachable', problem: error });
  }
}

/**
 * Signs in and loads the apps. Throws a CallProblem when the platform or the portal refuses.
 *
 * @param keepsSession Whether the session in another environment is kept, to switch back.
 */
export async function signIn(credentials: Credentials, baseUrl: string, keepsSession?: true): Promise<void> {
  const apps = await call(getApps, { credentials, baseUrl, keepsSession });
  const session = await loadSession();
  rememberApps(getUserKey(session), apps);
  sessionState.set({ phase: 'signed-in', session, apps, appsProblem: null });
  announceSession();
}

/** Has the other tabs show the session as it is now. */
export function announceSession(): void {
  otherTabs.postMessage('changed');
}

/** Max wait for the server when signing out. */
const signOutTimeoutMs = 5000;

/** Ends the session on this page, in other tabs and on the server, and goes to the root. */
export async function signOut(): Promise<void> {
  let notice: string | null = null;
  isSigningOut = true;
  try {
    await call(deleteSession, undefined, { signal: AbortSignal.timeout(signOutTimeoutMs) });
  } catch (error) {
    // A session that already ended needs no notice.
    if (!(error instanceof CallProblem && error.status === 401))
      notice = `You are signed out on this page, but the portal could not be notified: ${describeError(error)}`;
  } finally {
    isSigningOut = false;
  }
  forgetApps();
  window.location.hash = '#/';
  sessionState.set({ phase: 'signed-out', notice });
  otherTabs.postMessage('signed-out');
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function describeSignInProblem(problem: CallProblem): string {
  if (problem.status === 401) return 'Either the username or password is incorrect';
  const error = `Error logging in: ${problem.statusText} (${problem.status})`;
  // The portal's message says when to try again.
  return problem.kind === 'too-many' ? `${error}. ${problem.message}` : error;
}
