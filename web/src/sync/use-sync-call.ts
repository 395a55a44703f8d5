import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { reviewConflicts } from '@portal/contract/sync/conflicts';
import { auditDrift } from '@portal/contract/sync/drift';
import { lookAgain } from '@portal/contract/sync/find';
import { moveCursor, setEnabled, tryNow } from '@portal/contract/sync/integration';
import { retryHeld, skipHeld } from '@portal/contract/sync/records';
import { answerRecovery } from '@portal/contract/sync/recovery';
import { type CallQuery, type Change, useCall } from '../api/use-call.ts';
import { useSession } from '../session/use-session.ts';
import { callSync } from './call-sync.ts';

/** The changes that invalidate integration data. */
export const integrationChanges: readonly Change[] = [
  ...(['MERGE', 'DESTROY'] as const),
  ...[setEnabled, retryHeld, skipHeld, moveCursor, auditDrift, answerRecovery, lookAgain, tryNow, reviewConflicts],
];

/** Loads the response of an endpoint of the environment's sync service. */
export function useSyncCall<E extends Endpoint, Data = ResponseOf<E>>(
  endpoint: E,
  payload: RequestOf<E>,
  options: CallQuery<E, Data> = {},
) {
  const environment = useSession().session.environment.name;
  return useCall<E, Data>(endpoint, payload, {
    ...options,
    send: (syncEndpoint, syncPayload, callOptions) => callSync<E>(environment, syncEndpoint, syncPayload, callOptions),
  });
}
