import { undoConfigChange } from '@portal/contract/app-config';
import { isProduction } from '@portal/contract/environments';
import { type FunctionState, getScheduledEvents, toggleScheduledEvent } from '@portal/contract/scheduled-functions';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { refreshEvery, useCall } from '../../api/use-call.ts';
import { useFunctionResults } from '../../apps/functions/use-function-results.ts';
import { useSession } from '../../session/use-session.ts';
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
    refetchInterval: refreshEvery(refreshMs),
  } as const;
  const events = useCall(
    getScheduledEvents,
    { baseUrl, appId },
    { ...options, invalidatedBy: [toggleScheduledEvent, undoConfigChange] },
  );
  const results = useFunctionResults(appId, { enabled, limit: newestResults, refreshMs });
  return { events, ...results };
}

export interface ToggleRequest {
  /** 'unit:event' */
  readonly scheduledEvent: string;
  /** The requested state. */
  readonly state: FunctionState;
  /** The state on the page, which the request replaces. */
  readonly expected: FunctionState;
}

/**
 * Toggles functions, one at a time; pending until the list has been reloaded. Outside Production,
 * where nothing asks for a confirmation, the message offers to undo it.
 */
export function useToggle(appId: string) {
  const { session } = useSession();
  const hasUndo = !isProduction(session.environment.name);
  const mutation = useMutation({
    mutationFn: (request: ToggleRequest & { readonly isUndo?: boolean }) => {
      const { isUndo: _, ...toggled } = request;
      return call(toggleScheduledEvent, { baseUrl: session.environment.baseUrl, appId, ...toggled });
    },
    onSuccess: (text, { scheduledEvent, state, expected, isUndo = false }) => {
      const undo = { scheduledEvent, state: expected, expected: state, isUndo: true };
      const action = hasUndo && !isUndo ? { label: 'Undo', run: () => mutation.mutate(undo) } : null;
      showSuccess('Success', text || 'Done', action);
    },
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
