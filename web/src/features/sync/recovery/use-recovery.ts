import type { RequestOf } from '@portal/contract/endpoint';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { answerRecovery, getRecovery } from '@portal/contract/sync/recovery';
import { callSync } from '../../../sync/call-sync.ts';
import { integrationChanges, useSyncCall } from '../../../sync/use-sync-call.ts';
import { recordsRefreshMs } from '../refresh-intervals.ts';
import { useIntegrationAction } from '../use-integration-action.ts';

/**
 * Loads the question that halts an integration. It may be answered, or replaced, by another user at
 * any time.
 */
export function useRecovery({ id, needsDecision, haltedSince }: SyncIntegration) {
  return useSyncCall(getRecovery, undefined, {
    params: { appId: id },
    // Each halt may have another question.
    version: haltedSince,
    invalidatedBy: integrationChanges,
    refetchInterval: recordsRefreshMs,
    refetchOnMount: 'always',
    enabled: needsDecision,
  });
}

export function useAnswerRecovery() {
  return useIntegrationAction(
    'Decision',
    (environment, request: RequestOf<typeof answerRecovery>) => callSync(environment, answerRecovery, request),
    () => 'Saved. The integration is enabled and acts on it.',
  );
}
