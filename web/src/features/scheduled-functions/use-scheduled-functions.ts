import {
  type FunctionState,
  getScheduledEvents,
  getScheduledFunctionResults,
  toggleScheduledEvent,
} from '@portal/contract/scheduled-functions';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

const refreshMs = 15_000;

/**
 * The functions and, from a call of its own that may fail by itself, what became of their last
 * runs.
 */
export function useScheduledFunctions(appId: string, enabled: boolean) {
  const { session } = useSession();
  const { baseUrl, name: environment } = session.environment;
  const options = {
    enabled,
    refetchOnWindowFocus: 'always',
    refetchInterval: (query: { state: { data: unknown } }) => (query.state.data === undefined ? false : refreshMs),
  } as const;
  const events = useCall(getScheduledEvents, { baseUrl, appId }, { ...options, invalidatedBy: [toggleScheduledEvent] });
  const results = useCall(getScheduledFunctionResults, { environment, uuid: appId }, options);
  return { events, results };
}

export interface ToggleRequest {
  /** 'unit:event' */
  readonly scheduledEvent: string;
  /** The state it shall have. */
  readonly state: FunctionState;
}

/** Switches functions, one at a time; pending until the list has been loaded again. */
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
    /** Resolves when it is over, either way; the user has been told. */
    toggle: (request: ToggleRequest): Promise<void> =>
      mutation.mutateAsync(request).then(
        () => {},
        () => {},
      ),
    /** The function that is being switched, 'unit:event'. */
    pending: mutation.isPending ? mutation.variables.scheduledEvent : null,
  };
}
