import { getIntegration } from '@portal/contract/sync';
import { syncConfigSchema } from '@portal/contract/sync-config';
import type { SyncSocketMessage, SyncSocketReply } from '@portal/contract/sync-socket';
import { Problem } from '@portal/kit/problems';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { requestReply } from './request-reply.ts';
import { runAudited } from './run-audited.ts';
import { locateApp, toAuditedConfig } from './sync-payloads.ts';

export type Change = Exclude<SyncSocketMessage, { type: 'LOG_SESSION' }>;

/**
 * Saves or deletes the integration of one of the caller's apps and audits it, even if the caller
 * has disconnected. Throws as `requestReply` does.
 */
export function changeIntegration(
  { permissions, audit, syncService, appDatabases }: Dependencies,
  caller: Caller,
  change: Change,
  timeoutMs: number,
): Promise<SyncSocketReply> {
  const { type, appId } = change;
  const isSave = type === 'MERGE';
  const sent = isSave ? syncConfigSchema.safeParse(change.config) : undefined;
  return runAudited({ permissions, audit }, caller, appId, {
    permission: 'sync.change',
    action: isSave ? 'sync.save' : 'sync.delete',
    description: isSave ? 'Integration saved' : 'Integration deleted',
    before: () => storedConfig(syncService, caller, appId),
    async run(app) {
      const location = isSave ? await locateApp(appDatabases, caller.environment, app) : {};
      const frame = JSON.stringify(isSave ? { type, appId, config: change.config, ...location } : { type, appId });
      return requestReply(syncService.connect(caller), frame, timeoutMs);
    },
    after: () => (sent?.success ? toAuditedConfig(sent.data) : null),
  });
}

/** Returns null if there is no integration yet. */
async function storedConfig(service: Dependencies['syncService'], caller: Caller, appId: string) {
  try {
    const { config } = await service.call(caller, getIntegration, { params: { appId } });
    return toAuditedConfig(config);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}
