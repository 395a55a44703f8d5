import { endSession, endSessionsOfUser, getSessions, type SignedInSession } from '@portal/contract/sessions';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';
import { formatPlural } from '../../format/numbers.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

const sessionChanges = [endSession, endSessionsOfUser];

/** What to end: one session, or all of a user except the current one. */
export type Ending = { readonly session: SignedInSession } | { readonly user: string };

export function useSessions() {
  return useCall(getSessions, undefined, { invalidatedBy: sessionChanges, refetchOnWindowFocus: 'always' });
}

/** Ends sessions, and reports the outcome in a popup. */
export function useEndSessions() {
  return useMutation({
    mutationFn: (ending: Ending) =>
      'session' in ending
        ? call(endSession, { id: ending.session.id })
        : call(endSessionsOfUser, { user: ending.user }),
    onSuccess: ({ ended }, ending) => {
      const user = 'session' in ending ? ending.session.username : ending.user;
      showSuccess('Ended', `${formatPlural(ended, 'session')} of ${user}`);
    },
    onError: (problem) => showProblem('Unable to end the session', problem),
    meta: { changes: sessionChanges },
  });
}
