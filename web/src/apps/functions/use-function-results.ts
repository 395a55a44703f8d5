import {
  getLastFunctionResults,
  getScheduledFunctionResults,
  type ScheduledFunctionResult,
} from '@portal/contract/scheduled-functions';
import { useMemo } from 'react';
import { useCall } from '../../api/use-call.ts';
import { useSession } from '../../session/use-session.ts';

/**
 * Loads the newest results of an app's scheduled functions and, in a separate call that may take
 * much longer, the last result of each function.
 */
export function useFunctionResults(
  appId: string,
  { enabled, limit, refreshMs }: { enabled: boolean; limit: number; refreshMs?: number },
) {
  const { session } = useSession();
  const request = { environment: session.environment.name, uuid: appId };
  const last = useCall(getLastFunctionResults, request, {
    enabled,
    // Reading a large table without an index costs its database too much to repeat it unasked.
    refetchInterval: ({ state: { data } }) => (data?.indexStatements.length === 0 && refreshMs) || false,
  });
  const isQuick = last.data?.indexStatements.length === 0;
  const newest = useCall(
    getScheduledFunctionResults,
    { ...request, limit },
    {
      enabled,
      refetchInterval: (isQuick && refreshMs) || false,
      ...(isQuick && refreshMs !== undefined && { refetchOnWindowFocus: 'always' }),
    },
  );
  const results = useMemo(
    () => newest.data && combineResults(newest.data, last.data?.results ?? []),
    [newest.data, last.data],
  );
  return { newest, last, results };
}

/** Adds the last results that are not among the newest. */
export function combineResults(
  newest: readonly ScheduledFunctionResult[],
  last: readonly ScheduledFunctionResult[],
): ScheduledFunctionResult[] {
  const toKey = ({ qualifiedName, started }: ScheduledFunctionResult) => `${qualifiedName} ${started}`;
  const known = new Set(newest.map(toKey));
  return [...newest, ...last.filter((result) => !known.has(toKey(result)))];
}
