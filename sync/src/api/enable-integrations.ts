/** Enables or disables several integrations. None is enabled that the form could not save so. */
import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import type { setEnabled } from '@portal/contract/sync/integration';
import { NotFound, Problem } from '@portal/kit/problems';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { findIntegrations } from '../portal-store/integrations.store.ts';
import { setDesiredStatus } from '../portal-store/status.store.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import type { Caller } from './caller.ts';
import { toNotFound } from './delete-integration.ts';
import { CannotRun, requireRunnable } from './require-runnable.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions };
type Result = ResponseOf<typeof setEnabled>[number];

/**
 * Returns the outcome of each integration. Throws NotFound, and changes none, if one does not
 * exist.
 */
export async function setIntegrationsEnabled(
  parts: Parts,
  caller: Caller,
  { appIds, enabled }: RequestOf<typeof setEnabled>,
): Promise<Result[]> {
  // Find all integrations before changing any.
  const found = await findIntegrations(parts.pool, caller.environment, appIds);
  const byAppId = new Map(found.map((integration) => [integration.appId, integration]));
  const integrations = [...new Set(appIds)].map((appId) => {
    const integration = byAppId.get(appId);
    if (!integration) throw toNotFound(appId);
    return integration;
  });
  if (enabled) return Promise.all(integrations.map((integration) => enable(parts, caller, integration)));
  const results: Result[] = [];
  for (const integration of integrations) results.push(await change(parts, caller, integration, 'disable'));
  return results;
}

async function enable(parts: Parts, caller: Caller, integration: StoredIntegration): Promise<Result> {
  const { appId, status } = integration;
  if (status === 'Enabled') return change(parts, caller, integration, 'enable');
  try {
    const warnings = await requireRunnable(parts, caller, integration);
    const result = await change(parts, caller, integration, 'enable');
    return warnings === null ? result : { ...result, warnings };
  } catch (error) {
    // Other integrations of the same call do not depend on this one's platforms.
    if (!(error instanceof Problem)) throw error;
    const refused = { appId, status, message: error.message };
    return error instanceof CannotRun ? { ...refused, problems: [...error.problems] } : refused;
  }
}

async function change(
  { pool, logWriter }: Parts,
  caller: Caller,
  { id, appId }: StoredIntegration,
  event: 'enable' | 'disable',
): Promise<Result> {
  const transition = await setDesiredStatus(pool, { id, event, by: caller.user });
  if (!transition || transition.to === 'Deleted') throw new NotFound(`The integration for ${appId} no longer exists.`);
  logWriter.write(id, 'INFO', `${event === 'enable' ? 'Enabled' : 'Disabled'} by ${caller.user}.`);
  return { appId, status: transition.to, message: transition.message };
}
