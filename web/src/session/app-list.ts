import { type App, appSchema, getApps, lastKnownAppsHeader } from '@portal/contract/apps';
import * as z from 'zod/mini';
import { call } from '../api/call.ts';
import { CallProblem } from '../api/call-problem.ts';
import { tabStorage } from '../state/browser-storage.ts';

export interface LoadedApps {
  readonly apps: readonly App[];
  /** Why these are only the last known apps; null if the platform has returned them. */
  readonly appsProblem: CallProblem | null;
}

/** Loads the apps of the session. Throws a CallProblem. */
export async function loadApps({ fresh = false } = {}): Promise<LoadedApps> {
  let appsProblem: CallProblem | null = null;
  const onHeaders = (headers: Headers) => {
    appsProblem = readProblem(headers);
  };
  const apps = await call(getApps, {}, { fresh, onHeaders });
  return { apps, appsProblem };
}

/** Like `loadApps`, but returns a problem, unless it is that there is no session. */
export async function tryLoadApps(): Promise<LoadedApps | CallProblem> {
  try {
    return await loadApps();
  } catch (error) {
    if (error instanceof CallProblem && error.status !== 401) return error;
    throw error;
  }
}

const storageKey = 'last-apps';
const lastAppsSchema = z.object({ user: z.string(), apps: z.array(appSchema) });

/** Remembers the apps of a user in this tab, for a reload while the platform is unavailable. */
export function rememberApps(user: string, apps: readonly App[]): void {
  tabStorage.set(storageKey, { user, apps });
}

/** Returns the last apps of the user that this tab has shown, or none. */
export function readLastApps(user: string): readonly App[] {
  const last = lastAppsSchema.safeParse(tabStorage.get(storageKey));
  return last.success && last.data.user === user ? last.data.apps : [];
}

export function forgetApps(): void {
  tabStorage.set(storageKey, null);
}

/** Returns why the portal's list is only the last known one; null if it is not. */
function readProblem(headers: Headers): CallProblem | null {
  const reason = headers.get(lastKnownAppsHeader);
  if (reason === null) return null;
  return new CallProblem({
    status: 502,
    statusText: 'Bad Gateway',
    message: decodeURIComponent(reason),
    kind: 'unreachable',
    requestId: headers.get('x-request-id') ?? undefined,
  });
}
