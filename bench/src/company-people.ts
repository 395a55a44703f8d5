import { setTimeout as pause } from 'node:timers/promises';
import { disableApp, lockApp } from '@portal/contract/app-config';
import { type App, getApps } from '@portal/contract/apps';
import { getAttention, getAttentionRefreshMs } from '@portal/contract/attention';
import { getRecentChanges } from '@portal/contract/audit';
import { getOnCall } from '@portal/contract/support-roster';
import { type Credentials, demo } from '@portal/e2e/user-actions';
import type { CompanySystem } from './company-system.ts';

export interface Session {
  readonly cookie: string;
  readonly apps: readonly App[];
  /** With a body, posts it. */
  read(path: string, body?: object): Promise<unknown>;
}

interface Calls {
  readonly latenciesMs: number[];
  failed: number;
}

export interface HomeCalls {
  attention: Calls;
  onCall: Calls;
  changes: Calls;
  signIns: Calls;
}

/** Home refreshes this often, and more often while checks of the user's apps are pending. */
export const pollMs = getAttentionRefreshMs(0);
const signInMs = 5_000;

function createCalls(): Calls {
  return { latenciesMs: [], failed: 0 };
}

export function createHomeCalls(): HomeCalls {
  return { attention: createCalls(), onCall: createCalls(), changes: createCalls(), signIns: createCalls() };
}

/** Returns undefined if the call failed. */
async function measure<T>(calls: Calls, run: () => Promise<T>): Promise<T | undefined> {
  const from = performance.now();
  try {
    return await run();
  } catch {
    calls.failed += 1;
    return undefined;
  } finally {
    calls.latenciesMs.push(performance.now() - from);
  }
}

export async function signIn({ origin, platform }: CompanySystem, who: Credentials = demo): Promise<Session> {
  const response = await fetch(`${origin}${getApps.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ credentials: who, baseUrl: platform }),
  });
  if (!response.ok) throw new Error(`sign-in returned ${response.status} ${await response.text()}`);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return {
    cookie,
    apps: getApps.response.parse(await response.json()),
    async read(path, body) {
      const answer = await fetch(`${origin}${path}`, {
        headers: { cookie, origin, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path} returned ${answer.status} ${text}`);
      return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
    },
  };
}

export async function readAttention(session: Session) {
  return getAttention.response.parse(await session.read(getAttention.path));
}

/** Locks and disables fifteen apps; a third of fewer. Returns how many. */
export async function stopApps({ apps, read }: Session): Promise<number> {
  const stopped = apps.slice(-Math.min(15, Math.floor(apps.length / 3)));
  for (const [at, { id }] of stopped.entries()) {
    if (at % 2 === 0) await read(lockApp.path, { appId: id, locked: true });
    else await read(disableApp.path, { appId: id, disabled: true });
  }
  return stopped.length;
}

/** Makes the calls of an open home. */
export async function keepHomeOpen(
  session: Session,
  calls: HomeCalls,
  { startMs, signal }: { readonly startMs: number; readonly signal: AbortSignal },
): Promise<void> {
  await rest(startMs, signal);
  const pollAttention = async () => {
    while (!signal.aborted) {
      const attention = await measure(calls.attention, () => readAttention(session));
      const { missing = 0, outdated = 0 } = attention?.checks ?? {};
      await rest(getAttentionRefreshMs(missing + outdated), signal);
    }
  };
  const pollOthers = async () => {
    while (!signal.aborted) {
      await Promise.all([
        measure(calls.onCall, () => session.read(`${getOnCall.path}?numbers=true`)),
        measure(calls.changes, () => session.read(getRecentChanges.path)),
      ]);
      await rest(pollMs, signal);
    }
  };
  await Promise.all([pollAttention(), pollOthers()]);
}

export async function keepSigningIn(system: CompanySystem, calls: HomeCalls, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await measure(calls.signIns, () => signIn(system));
    await rest(signInMs, signal);
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
