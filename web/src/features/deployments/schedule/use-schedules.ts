import { getSchedules, mergeSchedule, resolveSchedule, type Schedule } from '@portal/contract/deployments';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../../api/call.ts';
import { mapInParts } from '../../../api/in-parts.ts';
import { getServerNow } from '../../../api/server-clock.ts';
import { callOptions } from '../../../api/use-call.ts';
import { useSession } from '../../../session/use-session.ts';
import { loadAllSchedules, type ReadSchedules } from './load-all-schedules.ts';
import { findLastSave, mergeSchedules } from './merge-schedules.ts';
import { type ScheduleRow, toScheduleRows } from './schedule-rows.ts';

export const scheduleChanges = [mergeSchedule, resolveSchedule];

/**
 * Uses its own query version, because the list grows while it loads, which `useCall` does not
 * support.
 */
const { queryKey, meta } = callOptions(getSchedules, undefined, {
  version: 'newest, then all',
  invalidatedBy: scheduleChanges,
});

/** How often the list is refreshed, so that other users' schedules appear. */
const refreshMs = 60_000;
/** While the wizard updates one of them. Each refresh only loads what was saved since the last. */
const wizardRefreshMs = 5_000;
/** Covers most portals completely, and loads fast where there are thousands. */
export const newestCount = 100;

export interface LoadedSchedules {
  /** The latest date first. */
  readonly schedules: readonly Schedule[];
  /** The same in the same order. */
  readonly rows: readonly ScheduleRow[];
  /** false while only the schedules with the latest dates are loaded. */
  readonly isComplete: boolean;
}

/**
 * Loads all schedules of the environment. The first load shows the newest at once, and the
 * complete list once all its parts have arrived: twenty thousand schedules are megabytes, of which
 * users see ten rows. Later ones only load what was saved since.
 */
export function useSchedules({ isUpdating }: { isUpdating: boolean }) {
  const { timeZone } = useSession().session.environment;
  return useQuery({
    queryKey,
    meta,
    queryFn: ({ client, signal }) => loadSchedules({ client, signal, timeZone }),
    // A comparison of thousands would take long, and what is unchanged stays the same anyway.
    structuralSharing: false,
    // A user who left before the list was complete and comes back still needs the rest.
    refetchOnMount: ({ state }) => (state.data?.isComplete === false ? 'always' : true),
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data === undefined ? false : isUpdating ? wizardRefreshMs : refreshMs),
  });
}

export type SchedulesLoad = ReturnType<typeof useSchedules>;

interface Load {
  readonly client: QueryClient;
  readonly signal: AbortSignal;
  readonly timeZone: string;
}

async function loadSchedules({ client, signal, timeZone }: Load): Promise<LoadedSchedules> {
  const toLoaded = async (schedules: readonly Schedule[], isComplete: boolean): Promise<LoadedSchedules> => ({
    schedules,
    rows: await mapInParts(schedules, (part) => toScheduleRows(part, timeZone)),
    isComplete,
  });
  const loaded = client.getQueryData<LoadedSchedules>(queryKey);
  if (loaded?.isComplete) {
    const since = findLastSave(loaded.schedules);
    const saved = await call(getSchedules, since === null ? undefined : { since }, { signal });
    const merged = mergeSchedules(loaded.schedules, saved);
    return merged === loaded.schedules ? loaded : toLoaded(merged, true);
  }
  const startedAt = new Date(getServerNow()).toISOString();
  const newest = await call(getSchedules, { limit: newestCount }, { signal });
  const first = await toLoaded(newest, newest.length < newestCount);
  if (first.isComplete) return first;
  client.setQueryData<LoadedSchedules>(queryKey, first);
  const read: ReadSchedules = (request) => call(getSchedules, request, { signal });
  return toLoaded(await loadAllSchedules(read, { newest, startedAt }), true);
}

/**
 * Returns the schedule with that id; undefined while it may still be loading, null if it does not
 * exist.
 */
export function findSchedule({ data }: SchedulesLoad, id: string | null): Schedule | null | undefined {
  const found = data?.schedules.find((schedule) => schedule.id === id);
  return found ?? (data?.isComplete ? null : undefined);
}

/**
 * Refetches the list if it does not contain the schedule a link names, which may have been created
 * since.
 */
export function useRefetchForUnknown(load: SchedulesLoad, id: string | null): void {
  const { refetch } = load;
  const unknown = id !== null && findSchedule(load, id) === null ? id : null;
  useEffect(() => {
    if (unknown !== null) void refetch();
  }, [unknown, refetch]);
}
