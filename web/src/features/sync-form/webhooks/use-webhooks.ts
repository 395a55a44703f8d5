import { getWebhooks, saveWebhookSecrets } from '@portal/contract/sync/webhooks';
import { useMutation } from '@tanstack/react-query';
import { refreshEvery } from '../../../api/use-call.ts';
import { useSession } from '../../../session/use-session.ts';
import { callSync } from '../../../sync/call-sync.ts';
import { useSyncCall } from '../../../sync/use-sync-call.ts';
import { showProblem, showSuccess } from '../../../ui/popups.ts';

const title = 'Webhooks';
const refreshMs = 5_000;

/** Loads the address and follows whether webhooks arrive. */
export function useWebhooks(appId: string) {
  return useSyncCall(getWebhooks, undefined, {
    params: { appId },
    refetchInterval: refreshEvery(refreshMs),
  });
}

export function useSaveSecrets(appId: string, onSaved: () => void) {
  const environment = useSession().session.environment.name;
  return useMutation({
    mutationFn: (secrets: string[]) => callSync(environment, saveWebhookSecrets, { appId, secrets }),
    onSuccess({ secrets }) {
      showSuccess(title, secrets === 0 ? 'Webhooks are off.' : 'The secrets are stored.');
      onSaved();
    },
    onError: (problem) => showProblem(title, problem),
    meta: { changes: [saveWebhookSecrets] },
  });
}
