import {
  deletePortalShift,
  getOnCall,
  getPortalShifts,
  getRoster,
  getRosterTeams,
  getYearWindow,
  importShifts,
  savePortalShift,
} from '@portal/contract/support-roster';
import { getServerNow } from '../../api/server-clock.ts';
import { refreshEvery, slowStaleTimeMs, useCall } from '../../api/use-call.ts';
import { useSession } from '../../session/use-session.ts';

export const shiftChanges = [savePortalShift, deletePortalShift, importShifts];

const refreshMs = 60_000;

export function useRosterTeams(enabled: boolean) {
  return useCall(getRosterTeams, undefined, { enabled, staleTime: slowStaleTimeMs });
}

/** Loads the team's shifts of this year, in the environment's time zone. */
export function useRoster(team: string) {
  const { session } = useSession();
  const window = getYearWindow(new Date(getServerNow()), session.environment.timeZone);
  return useCall(
    getRoster,
    { team, ...window },
    {
      invalidatedBy: shiftChanges,
      refetchInterval: refreshEvery(refreshMs),
    },
  );
}

/** Loads who is on call for one team, or for all teams with null, at a moment or now. */
export function useOnCall(team: string | null, at: Date | null = null) {
  const query = { ...(team !== null && { team }), ...(at !== null && { at: at.toISOString() }) };
  return useCall(
    getOnCall,
    { ...query, numbers: 'true' },
    {
      invalidatedBy: shiftChanges,
      refetchOnWindowFocus: 'always',
      refetchInterval: refreshEvery(refreshMs),
    },
  );
}

/** Loads the team's shifts managed in the portal, for all years. */
export function usePortalShifts(team: string) {
  return useCall(getPortalShifts, { team }, { invalidatedBy: shiftChanges });
}
