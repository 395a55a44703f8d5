import { maskedPassword } from '@portal/contract/sync/config';
import { listIntegrations, type SyncIntegration } from '@portal/contract/sync/integration';
import type { Caller } from '../session/caller.ts';
import type { SyncService } from './sync-service.ts';

/** Lists the integrations of the caller's environment whose apps are visible to the caller. */
export async function listForCaller(
  service: SyncService,
  caller: Caller,
  signal?: AbortSignal,
): Promise<SyncIntegration[]> {
  const payload = { environment: caller.environment.name };
  const [integrations, { byId }] = await Promise.all([
    service.call(caller, listIntegrations, { payload, ...(signal && { signal }) }),
    caller.apps({ forReading: true, signal }),
  ]);
  return integrations
    .filter(({ id, environment }) => environment === caller.environment.name && byId.has(id))
    .map(maskPassword);
}

/** Masks the password, in addition to the service's own masking. */
export function maskPassword(integration: SyncIntegration): SyncIntegration {
  return { ...integration, journeyPassword: maskedPassword };
}
