import { useCallback } from 'react';
import { remembered } from '../lib/remembered.ts';
import { createStore, useStore } from '../lib/store.ts';
import { useSession } from './use-session.ts';

const mostRecent = 8;

/** App ids, newest first. */
interface MyApps {
  readonly starred: readonly string[];
  readonly recent: readonly string[];
}

const none: MyApps = { starred: [], recent: [] };
/** By user and environment; read from the browser once, kept here from then on. */
const known = createStore<ReadonlyMap<string, MyApps>>(new Map());

function read(key: string): MyApps {
  const kept = known.get().get(key) ?? remembered.get(key);
  if (typeof kept !== 'object' || kept === null) return none;
  return { starred: idsOf('starred' in kept && kept.starred), recent: idsOf('recent' in kept && kept.recent) };
}

function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}

function change(key: string, next: (mine: MyApps) => MyApps): void {
  const mine = next(read(key));
  known.set(new Map(known.get()).set(key, mine));
  remembered.set(key, mine);
}

/** The apps this user starred and the ones used last, in this environment and browser. */
export function useMyApps() {
  const { session } = useSession();
  const key = `apps.${session.environment.name}.${session.username}`;
  const mine = useStore(known).get(key) ?? read(key);
  const toggleStar = useCallback(
    (id: string) =>
      change(key, ({ starred, recent }) => ({
        recent,
        starred: starred.includes(id) ? starred.filter((other) => other !== id) : [id, ...starred],
      })),
    [key],
  );
  const visit = useCallback(
    (id: string) =>
      change(key, ({ starred, recent }) => ({
        starred,
        recent: [id, ...recent.filter((other) => other !== id)].slice(0, mostRecent),
      })),
    [key],
  );
  return { ...mine, toggleStar, visit };
}
