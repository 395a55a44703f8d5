import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { setEnabled } from '@portal/contract/sync';
import { requireApps } from '../../access/app-access.ts';
import { type AuditRecord, toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { listForCaller } from '../../sync-service/caller-integrations.ts';

/**
 * Enables or disables several integrations, with one audit entry each. All apps must be visible to
 * the caller.
 */
export async function switchIntegrations(
  { permissions, audit, syncService }: Pick<Dependencies, 'permissions' | 'audit' | 'syncService'>,
  caller: Caller,
  input: RequestOf<typeof setEnabled>,
): Promise<ResponseOf<typeof setEnabled>> {
  const { appIds, enabled } = input;
  await permissions.require(caller, 'sync.change', { resource: appIds.length === 1 ? appIds[0] : undefined });
  const apps = await requireApps(caller, appIds, 'sync.change');
  const integrations = await listForCaller(syncService, caller);
  const statusById = new Map(integrations.map(({ id, status }) => [id, status]));
  const write = async (getOutcome: (appId: string) => Pick<AuditRecord, 'outcome' | 'reason' | 'after'>) => {
    // Sequential, to keep the order of the request.
    for (const { id, name } of apps) {
      await audit.write(caller, {
        action: enabled ? 'sync.enable' : 'sync.disable',
        resource: id,
        resourceName: name,
        description: `Integration ${enabled ? 'enabled' : 'disabled'}`,
        before: { status: statusById.get(id) ?? null },
        ...getOutcome(id),
      });
    }
  };
  try {
    const results = await syncService.call(caller, setEnabled, { payload: input });
    const after = new Map(results.map((one) => [one.appId, one]));
    await write((appId) => {
      const { status, message = 'The sync service gave no reason.' } = after.get(appId) ?? {};
      const isDone = status === (enabled ? 'Enabled' : 'Disabled');
      return isDone ? { outcome: 'done', after: { status } } : { outcome: 'refused', reason: message };
    });
    return results;
  } catch (error) {
    await write(() => toOutcome(error));
    throw error;
  }
}
