import { useCallback } from 'react';
import { browserStorage } from '../lib/browser-storage.ts';
import { createStore, useStore } from '../lib/store.ts';
import { useSession } from './use-session.ts';

const maxRecent = 8;

/** App ids, newest first. */
interface MyApps {
  readonly starred: readonly string[];
  readonly recent: readonly string[];
}

const none: MyApps = { starred: [], recent: [] };
/** By user and environment; read from browser storage once, then cached. */
const cache = createStore<ReadonlyMap<string, MyApps>>(new Map());

function readMyApps(key: string): MyApps {
  const stored = cache.get().get(key) ?? browserStorage.get(key);
  if (typeof stored !== 'object' || stored === null) return none;
  return { starred: toIds('starred' in stored && stored.starred), recent: toIds('recent' in stored && stored.recent) };
}

function toIds(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}

function updateMyApps(key: string, update: (myApps: MyApps) => MyApps): void {
  const myApps = update(readMyApps(key));
  cache.set(new Map(cache.get()).set(key, myApps));
  browserStorage.set(key, myApps);
}

/** Returns the apps this user starred and recently used in this environment and browser. */
export function useMyApps() {
  const { session } = useSession();
  const key = `apps.${session.environment.name}.${session.username}`;
  const myApps = useStore(cache).get(key) ?? readMyApps(key);
  const toggleStar = useCallback(
    (id: string) =>
      updateMyApps(key, ({ starred, recent }) => ({
        recent,
        starred: starred.includes(id) ? starred.filter((other) => other !== id) : [id, ...starred],
      })),
    [key],
  );
  const recordVisit = useCallback(
    (id: string) =>
      updateMyApps(key, ({ starred, recent }) => ({
        starred,
        recent: [id, ...recent.filter((other) => other !== id)].slice(0, maxRecent),
      })),
    [key],
  );
  return { ...myApps, toggleStar, recordVisit };
}
