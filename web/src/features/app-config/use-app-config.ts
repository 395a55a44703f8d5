import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { CallProblem } from '../../api/call-problem.ts';
import { refreshEvery } from '../../api/use-call.ts';
import { appChanges, useConfig } from '../../apps/app-config.ts';
import { useSession } from '../../session/use-session.ts';
import { dismissPopup, showProblem, showSuccess } from '../../ui/popups.ts';

const refreshMs = 15_000;
/** While a form is open, which is compared with the stored values. */
export const formRefreshMs = 5_000;

/** The context of every configuration call. The server rejects it if the session has changed. */
interface ChangeContext {
  readonly baseUrl: string;
  readonly appId: string;
  readonly username: string;
}

/**
 * Loads the configuration and refreshes it while the page is visible, so that changes by others
 * appear.
 */
export function useAppConfig(appId: string, enabled: boolean, intervalMs = refreshMs) {
  return useConfig(appId, {
    enabled,
    refetchOnWindowFocus: 'always',
    refetchInterval: refreshEvery(intervalMs),
  });
}

/** A change: the control it belongs to, and the call that makes it. */
export interface ConfigChange {
  readonly control: 'entry-point' | 'max-db-results' | 'disabled' | 'locked' | 'undo';
  readonly send: (context: ChangeContext) => Promise<string>;
}

/**
 * Makes changes one at a time. Each one stays pending until the configuration has been reloaded,
 * whether it succeeded or not, so that controls never show a value the platform does not have.
 */
export function useConfigChange(appId: string) {
  const { session } = useSession();
  const problemPopup = useRef<number | null>(null);
  const mutation = useMutation({
    mutationFn: (change: ConfigChange) =>
      change.send({ baseUrl: session.environment.baseUrl, appId, username: session.username }),
    onMutate: () => {
      // The problem of an earlier attempt would look like that of this one.
      if (problemPopup.current !== null) dismissPopup(problemPopup.current);
    },
    onSuccess: (text, change) =>
      change.control === 'undo' ? showSuccess('Done', 'Undo Done') : showSuccess('Success', text || 'Done'),
    onError: (problem) => {
      problemPopup.current = showProblem('Error', problem);
    },
    meta: { changes: appChanges },
  });
  return {
    /** Resolves to whether the change succeeded. The user is notified either way. */
    apply: (change: ConfigChange): Promise<boolean> =>
      mutation.mutateAsync(change).then(
        () => true,
        () => false,
      ),
    pending: mutation.isPending ? mutation.variables.control : null,
    /** Whether the last change was rejected because another user had changed the same setting. */
    isSuperseded: mutation.error instanceof CallProblem && mutation.error.status === 409,
  };
}
