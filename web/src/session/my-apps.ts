import { useCallback, useMemo } from 'react';
import { useSession } from './use-session.ts';
import { parseSetting, userSettings } from './user-settings.ts';

const maxRecent = 8;
const setting = 'apps';

/** App ids, newest first. */
interface MyApps {
  readonly starred: readonly string[];
  readonly recent: readonly string[];
}

const readMyApps = () => toMyApps(userSettings.get(setting));

function toMyApps(stored: unknown): MyApps {
  if (typeof stored !== 'object' || stored === null) return { starred: [], recent: [] };
  return { starred: toIds('starred' in stored && stored.starred), recent: toIds('recent' in stored && stored.recent) };
}

function toIds(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}

/** Returns the apps this user starred and recently used in this environment, in any browser. */
export function useMyApps() {
  // Apps that are not saved yet are in the browser only.
  const stored = useSession().session.settings[setting] ?? JSON.stringify(userSettings.get(setting));
  const myApps = useMemo(() => toMyApps(parseSetting(stored)), [stored]);
  const toggleStar = useCallback((id: string) => {
    const { starred, recent } = readMyApps();
    const others = starred.filter((other) => other !== id);
    userSettings.set(setting, { recent, starred: others.length < starred.length ? others : [id, ...starred] });
  }, []);
  const saveVisit = useCallback((id: string) => {
    const { starred, recent } = readMyApps();
    if (recent[0] === id) return;
    const next = [id, ...recent.filter((other) => other !== id)].slice(0, maxRecent);
    userSettings.set(setting, { starred, recent: next });
  }, []);
  return { ...myApps, toggleStar, saveVisit };
}
