import {
  addEntryPoint,
  disableApp,
  getConfig,
  lockApp,
  removeEntryPoint,
  setMaxDbResults,
  undoConfigChange,
  updateEntryPoint,
} from '@portal/contract/app-config';
import { useMutation } from '@tanstack/react-query';
import { CallProblem } from '../../lib/call-problem.ts';
import { useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

const refreshMs = 15_000;

const configChanges = [
  ...[addEntryPoint, removeEntryPoint, updateEntryPoint],
  ...[setMaxDbResults, disableApp, lockApp, undoConfigChange],
];

/**
 * What every call of an app says of itself. The server refuses it when the session is another one
 * by now.
 */
interface About {
  readonly baseUrl: string;
  readonly appId: string;
  readonly username: string;
}

/**
 * The configuration, asked for again while the page is seen, so that another person's change shows
 * by itself.
 */
export function useAppConfig(appId: string, enabled: boolean) {
  const { session } = useSession();
  const baseUrl = session.environment.baseUrl;
  return useCall(
    getConfig,
    { baseUrl, appId },
    {
      invalidatedBy: configChanges,
      enabled,
      refetchOnWindowFocus: 'always',
      refetchInterval: (query) => (query.state.data === undefined ? false : refreshMs),
    },
  );
}

/** One change: which control it belongs to, and the call that makes it. */
export interface ConfigChange {
  readonly control: 'entry-point' | 'max-db-results' | 'disabled' | 'locked' | 'undo';
  readonly send: (about: About) => Promise<string>;
}

/**
 * Makes changes one at a time. Each stays pending until the configuration has been loaded again,
 * whether it succeeded or not, so that controls never show what the platform does not have.
 */
export function useConfigChange(appId: string) {
  const { session } = useSession();
  const mutation = useMutation({
    mutationFn: (change: ConfigChange) =>
      change.send({ baseUrl: session.environment.baseUrl, appId, username: session.username }),
    onSuccess: (text, change) =>
      change.control === 'undo' ? showSuccess('Done', 'Undo Done') : showSuccess('Success', text || 'Done'),
    onError: (problem) => showProblem('Error', problem),
    meta: { changes: configChanges },
  });
  return {
    /** Resolves to whether it succeeded; the user has been told either way. */
    make: (change: ConfigChange): Promise<boolean> =>
      mutation.mutateAsync(change).then(
        () => true,
        () => false,
      ),
    pending: mutation.isPending ? mutation.variables.control : null,
    /** The last change was refused because somebody else had changed the same. */
    wasOvertaken: mutation.error instanceof CallProblem && mutation.error.status === 409,
  };
}
