import { type App, type Credentials, getApps } from '@portal/contract/apps';
import { deleteSession, getSession, type Session } from '@portal/contract/session';
import { call, onSessionEnd } from '../lib/call.ts';
import { CallProblem } from '../lib/call-problem.ts';
import { remembered } from '../lib/remembered.ts';
import { createStore } from '../lib/store.ts';

export type SessionState =
  /** `isKnown`: there is a session, only the apps are still missing. */
  | { readonly phase: 'starting'; readonly isKnown: boolean }
  | { readonly phase: 'unreachable'; readonly problem: CallProblem }
  /** `notice` says why one is here, when it was not one's own wish. */
  | { readonly phase: 'signed-out'; readonly notice: string | null }
  | { readonly phase: 'signed-in'; readonly session: Session; readonly apps: readonly App[] };

export const sessionState = createStore<SessionState>({ phase: 'starting', isKnown: wasSignedIn() });

/** Other tabs of this browser share the cookie, so they share its end. */
const otherTabs = new BroadcastChannel('portal.session');
otherTabs.onmessage = () => leave(null);

/**
 * While the user signs out, calls and sockets learn of the session's end one by one: no news to who
 * wished it.
 */
let isSigningOut = false;

onSessionEnd(() => {
  if (!isSigningOut) leave('Your session has ended. Sign in again to go on where you were.');
});

function leave(notice: string | null): void {
  if (sessionState.get().phase === 'signed-in') sessionState.set({ phase: 'signed-out', notice });
}

/**
 * Where this browser was signed in last, both calls go at once; elsewhere the second waits for the
 * first's word.
 */
async function askWhoAndWhat(): Promise<[Session, readonly App[]]> {
  if (wasSignedIn()) return Promise.all([call(getSession, undefined), call(getApps, {})]);
  const session = await call(getSession, undefined);
  sessionState.set({ phase: 'starting', isKnown: true });
  return [session, await call(getApps, {})];
}

/** A guess, for speed alone: only the server knows whether there is a session. */
function wasSignedIn(): boolean {
  return remembered.get('signed-in') === true;
}

sessionState.subscribe(() => {
  const { phase } = sessionState.get();
  if (phase === 'signed-in' || phase === 'signed-out') remembered.set('signed-in', phase === 'signed-in');
});

/**
 * Takes up the session the browser's cookie belongs to, if there is one: a reload stays signed in.
 */
export async function resumeSession(): Promise<void> {
  sessionState.set({ phase: 'starting', isKnown: wasSignedIn() });
  try {
    const [session, apps] = await askWhoAndWhat();
    sessionState.set({ phase: 'signed-in', session, apps });
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error;
    // Only a 401 says that nobody is signed in; a platform or a portal in trouble ends no session.
    if (error.status === 401) sessionState.set({ phase: 'signed-out', notice: null });
    else sessionState.set({ phase: 'unreachable', problem: error });
  }
}

/** Throws a CallProblem when the platform or the portal refuses. */
export async function signIn(credentials: Credentials, baseUrl: string): Promise<void> {
  const apps = await call(getApps, { credentials, baseUrl });
  const session = await call(getSession, undefined);
  sessionState.set({ phase: 'signed-in', session, apps });
}

/**
 * Asks the platform for the apps again and keeps the old list when that fails. Throws a
 * CallProblem.
 */
export async function reloadApps(): Promise<void> {
  const apps = await call(getApps, {}, { fresh: true });
  const current = sessionState.get();
  if (current.phase === 'signed-in') sessionState.set({ ...current, apps });
}

/** Nobody waits longer than this to leave. */
const signOutMs = 5000;

/** Ends the session here, in the other tabs and on the server, and goes to the root. */
export async function signOut(): Promise<void> {
  let notice: string | null = null;
  isSigningOut = true;
  try {
    await call(deleteSession, undefined, { signal: AbortSignal.timeout(signOutMs) });
  } catch (error) {
    // A session that had ended already is what was wished for.
    if (!(error instanceof CallProblem && error.status === 401))
      notice = `You are signed out on this page, but the portal could not be told: ${describe(error)}`;
  } finally {
    isSigningOut = false;
  }
  window.location.hash = '#/';
  sessionState.set({ phase: 'signed-out', notice });
  otherTabs.postMessage('signed-out');
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function describeSignInProblem(problem: CallProblem): string {
  if (problem.status === 401) return 'Either the username or password is incorrect';
  return `Error logging in: ${problem.statusText} (${problem.status})`;
}
