import { getOnCall, getOwnShifts, getRoster, getRosterTeams, yearWindow } from '@portal/contract/support-roster';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { useSession } from '../../session/use-session.ts';

/** Everything that a change of shifts makes untrue is asked for anew under this key. */
export const rosterKey = ['support-roster'] as const;

const lookMs = 60_000;

export function useRosterTeams(enabled: boolean) {
  return useQuery({
    queryKey: [...rosterKey, 'teams'],
    queryFn: ({ signal }) => call(getRosterTeams, undefined, { signal }),
    enabled,
    staleTime: lookMs,
  });
}

/** The team's shifts of this year, by the clock of the environment. */
export function useRoster(team: string) {
  const { session } = useSession();
  const window = yearWindow(new Date(), session.environment.timeZone);
  return useQuery({
    queryKey: [...rosterKey, 'roster', team, window.startDate],
    queryFn: ({ signal }) => call(getRoster, { team, ...window }, { signal }),
    refetchInterval: ({ state }) => (state.data === undefined ? false : lookMs),
  });
}

/** Who is on call: for one team, or for every one (null). */
export function useOnCall(team: string | null) {
  return useQuery({
    queryKey: [...rosterKey, 'on-call', team],
    queryFn: ({ signal }) => call(getOnCall, team === null ? {} : { team }, { signal }),
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data === undefined ? false : lookMs),
  });
}

/** The shifts the portal keeps for the team, all years. */
export function useOwnShifts(team: string) {
  return useQuery({
    queryKey: [...rosterKey, 'shifts', team],
    queryFn: ({ signal }) => call(getOwnShifts, { team }, { signal }),
  });
}
