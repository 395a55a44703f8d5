import type { App } from '@portal/contract/apps';
import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { maxEnabledAtOnce, setEnabled } from '@portal/contract/sync/integration';
import type { Noted } from '../../access/enforcer.ts';
import type { Caller } from '../../session/caller.ts';
import { listForCaller } from '../../sync-service/caller-integrations.ts';
import { connectionTestTimeoutMs } from '../../sync-service/connection-test-timeout.ts';
import type { SyncService } from '../../sync-service/sync-service.ts';

interface SwitchCall {
  readonly caller: Caller;
  readonly apps: readonly App[];
  readonly noted: Noted;
}

/** Enables or disables several integrations, each with its own outcome. */
export async function switchIntegrations(
  syncService: SyncService,
  { caller, apps, noted }: SwitchCall,
  input: RequestOf<typeof setEnabled>,
): Promise<ResponseOf<typeof setEnabled>> {
  const { enabled } = input;
  noted.action = enabled ? 'sync.enable' : 'sync.disable';
  noted.description = `Integration ${enabled ? 'enabled' : 'disabled'}`;
  const targets = apps.map(({ id, name }) => ({ resource: { kind: 'app' as const, id }, resourceName: name }));
  noted.each = targets;
  const integrations = await listForCaller(syncService, caller);
  const statusById = new Map(integrations.map(({ id, status }) => [id, status]));
  const known = targets.map((each) => ({ ...each, before: { status: statusById.get(each.resource.id) ?? null } }));
  noted.each = known;
  const rounds = enabled ? Math.ceil(apps.length / maxEnabledAtOnce) : 0;
  const options = { payload: input, ...(rounds > 0 && { timeoutMs: rounds * connectionTestTimeoutMs }) };
  const results = await syncService.call(caller, setEnabled, options);
  const after = new Map(results.map((one) => [one.appId, one]));
  noted.each = known.map((each) => {
    const { status, message = 'The sync service gave no reason.' } = after.get(each.resource.id) ?? {};
    const isDone = status === (enabled ? 'Enabled' : 'Disabled');
    return isDone ? { ...each, after: { status } } : { ...each, outcome: 'refused', reason: message };
  });
  return results;
}
