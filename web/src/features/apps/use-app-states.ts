import type { App } from '@portal/contract/apps';
import { type AppState, getAppStates, getAttentionRefreshMs, getFunctionNames } from '@portal/contract/attention';
import { useMemo } from 'react';
import { slowStaleTimeMs, useCall } from '../../api/use-call.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';

export interface AppRow extends App {
  readonly states: readonly AppState[];
  /** Of scheduled functions that have run; found by the search. */
  readonly functions: readonly string[];
}

const none: readonly never[] = [];

/** Adds what is known of the state of each app, and the names of its functions. */
export function useAppStates(): {
  readonly rows: readonly AppRow[];
  /** How many checks are missing or outdated. */
  readonly pending: number;
  readonly problems: readonly string[];
  readonly error: unknown;
} {
  const { apps } = useSession();
  const enabled = useRefusal('apps.view') === null;
  const states = useCall(getAppStates, undefined, {
    enabled,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => getAttentionRefreshMs(data?.pending ?? 0),
  });
  const names = useCall(getFunctionNames, undefined, {
    enabled: useRefusal('functions.view') === null,
    staleTime: slowStaleTimeMs,
    // Read with the states.
    refetchInterval: getAttentionRefreshMs(states.data?.pending ?? 0),
  });
  const rows = useMemo(() => {
    const statesById = new Map(states.data?.apps.map(({ appId, states }) => [appId, states]));
    const namesById = new Map(names.data?.map(({ appId, names }) => [appId, names]));
    return apps.map((app) => ({
      ...app,
      states: statesById.get(app.id) ?? none,
      functions: namesById.get(app.id) ?? none,
    }));
  }, [apps, states.data, names.data]);
  return { rows, pending: states.data?.pending ?? 0, problems: states.data?.problems ?? none, error: states.error };
}
