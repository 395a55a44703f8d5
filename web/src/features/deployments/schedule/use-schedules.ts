import { getSchedules, mergeSchedule, resolveSchedule, type Schedule } from '@portal/contract/deployments';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../../lib/call.ts';
import { callOptions } from '../../../lib/use-call.ts';

export const scheduleChanges = [mergeSchedule, resolveSchedule];

/** A version of its own: the list grows while it is loaded, which `useCall` knows nothing of. */
const { queryKey, meta } = callOptions(getSchedules, undefined, {
  version: 'newest, then all',
  invalidatedBy: scheduleChanges,
});

/** How often the list is asked for again, so that others' schedules show by themselves. */
const refreshMs = 60_000;
/** Enough for most portals, and little enough to be there at once where there are thousands. */
const newestCount = 100;

export interface LoadedSchedules {
  /** The latest date first. */
  readonly schedules: readonly Schedule[];
  /** false: only those with the latest dates, while all others are on their way. */
  readonly isComplete: boolean;
}

/**
 * All schedules of the environment. Who has none yet is shown the newest at once, and then the
 * whole list: twenty thousand schedules are megabytes, of which people see ten.
 */
export function useSchedules() {
  return useQuery({
    queryKey,
    meta,
    queryFn: ({ client, signal }) => loadSchedules(client, signal),
    // Who left before all were there, and comes back, still waits for them.
    refetchOnMount: ({ state }) => (state.data?.isComplete === false ? 'always' : true),
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data === undefined ? false : refreshMs),
  });
}

export type SchedulesLoad = ReturnType<typeof useSchedules>;

async function loadSchedules(client: QueryClient, signal: AbortSignal): Promise<LoadedSchedules> {
  if (client.getQueryData<LoadedSchedules>(queryKey) === undefined) {
    const newest = await call(getSchedules, { limit: newestCount }, { signal });
    if (newest.length < newestCount) return { schedules: newest, isComplete: true };
    client.setQueryData<LoadedSchedules>(queryKey, { schedules: newest, isComplete: false });
  }
  return { schedules: await call(getSchedules, undefined, { signal }), isComplete: true };
}

/**
 * The schedule of that id; undefined while it may still be on its way, null where there is none.
 */
export function findSchedule({ data }: SchedulesLoad, id: string | null): Schedule | null | undefined {
  const found = data?.schedules.find((schedule) => schedule.id === id);
  return found ?? (data?.isComplete ? null : undefined);
}

/**
 * Asks anew where the list does not know the schedule that a link names: it may be younger than the
 * list.
 */
export function useRefetchForUnknown(load: SchedulesLoad, id: string | null): void {
  const { refetch } = load;
  const unknown = id !== null && findSchedule(load, id) === null ? id : null;
  useEffect(() => {
    if (unknown !== null) void refetch();
  }, [unknown, refetch]);
}
