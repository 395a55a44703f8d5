import type { App } from '@portal/contract/apps';
import { syncConfigSchema } from '@portal/contract/sync/config';
import { getIntegration } from '@portal/contract/sync/integration';
import type { SyncSocketMessage, SyncSocketReply } from '@portal/contract/sync/socket';
import { Problem } from '@portal/kit/problems';
import type { Noted } from '../../access/enforcer.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';
import { requestReply } from './request-reply.ts';
import { locateApp, toAuditedConfig } from './sync-payloads.ts';

export type Change = Exclude<SyncSocketMessage, { type: 'LOG_SESSION' }>;

/** A change of the integration of one of the caller's apps. */
export interface ChangeCall {
  readonly caller: Caller;
  readonly app: App;
  readonly change: Change;
  readonly noted: Noted;
}

/**
 * Saves or deletes an integration, even if the caller has disconnected. Throws as `requestReply`
 * does.
 */
export async function changeIntegration(
  { syncService, appDatabases }: Pick<Dependencies, 'syncService' | 'appDatabases'>,
  { caller, app, change, noted }: ChangeCall,
  timeoutMs: number,
): Promise<SyncSocketReply> {
  const { type, appId } = change;
  const isSave = type === 'MERGE';
  noted.before = await storedConfig(syncService, caller, appId);
  const location = isSave ? await locateApp(appDatabases, caller.environment, app) : {};
  const frame = JSON.stringify(isSave ? { type, appId, config: change.config, ...location } : { type, appId });
  const reply = await requestReply(syncService.connect(caller), frame, timeoutMs);
  const sent = isSave ? syncConfigSchema.safeParse(change.config) : undefined;
  noted.after = sent?.success ? toAuditedConfig(sent.data) : null;
  return reply;
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
