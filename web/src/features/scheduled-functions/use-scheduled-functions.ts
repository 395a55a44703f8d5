import { type FunctionState, getScheduledEvents, toggleScheduledEvent } from '@portal/contract/scheduled-functions';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { useFunctionResults } from '../../shared/use-function-results.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

const refreshMs = 15_000;
/** Enough for most functions; the last result of each is loaded separately. */
const newestResults = 100;

/**
 * Loads the functions and, in separate calls that may fail on their own, the results of their last
 * runs.
 */
export function useScheduledFunctions(appId: string, enabled: boolean) {
  const { session } = useSession();
  const { baseUrl } = session.environment;
  const options = {
    enabled,
    refetchOnWindowFocus: 'always',
    refetchInterval: (query: { state: { data: unknown } }) => (query.state.data === undefined ? false : refreshMs),
  } as const;
  const events = useCall(getScheduledEvents, { baseUrl, appId }, { ...options, invalidatedBy: [toggleScheduledEvent] });
  const results = useFunctionResults(appId, { enabled, limit: newestResults, refreshMs });
  return { events, ...results };
}

export interface ToggleRequest {
  /** 'unit:event' */
  readonly scheduledEvent: string;
  /** The requested state. */
  readonly state: FunctionState;
}

/** Toggles functions, one at a time; pending until the list has been reloaded. */
export function useToggle(appId: string) {
  const { session } = useSession();
  const mutation = useMutation({
    mutationFn: (request: ToggleRequest) =>
      call(toggleScheduledEvent, { baseUrl: session.environment.baseUrl, appId, ...request }),
    onSuccess: (text) => showSuccess('Success', text || 'Done'),
    onError: (problem) => showProblem('Error', problem),
    meta: { changes: [toggleScheduledEvent] },
  });
  return {
    /** Resolves after success or failure; a popup reports the outcome. */
    toggle: (request: ToggleRequest): Promise<void> =>
      mutation.mutateAsync(request).then(
        () => {},
        () => {},
      ),
    /** The function being changed, 'unit:event'. */
    pending: mutation.isPending ? mutation.variables.scheduledEvent : null,
  };
}
