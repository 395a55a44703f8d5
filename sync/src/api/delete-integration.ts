/**
 * DESTROY: the integration, its logs, its history and what the engine keeps of it. What was carried
 * over stays.
 */
import { inTransaction } from '@portal/kit/postgres/pool';
import { NotFound } from '@portal/kit/problems';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { deleteIntegrationRow, findIntegration } from '../portal-store/integrations.store.ts';
import { notifyIntegrationChanged } from '../portal-store/notifications.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import type { Leases } from '../supervisor/leases.ts';
import type { Caller } from './caller.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions; readonly leases: Leases };

/** Nobody else runs the integration for so long at most. */
const deletionLeaseMs = 60_000;

/** Answers what has become of it, in a sentence. Throws NotFound. */
export async function deleteIntegration(parts: Parts, caller: Caller, appId: string): Promise<string> {
  const { pool, leases } = parts;
  const integration = await requireIntegration(parts, caller, appId);
  const { id } = integration;
  const isStateDeleted = await leases.withExclusiveLease(id, deletionLeaseMs, async (fence) => {
    const isStateDeleted = await deleteState(parts, integration, fence);
    await inTransaction(pool, async (client) => {
      await deleteIntegrationRow(client, id);
      await notifyIntegrationChanged(client, id);
    });
    return isStateDeleted;
  });
  if (isStateDeleted === undefined) throw toNotFound(appId);
  const leftover = ' What it kept in the Helium database could not be removed; nothing uses it any more.';
  return `Deleted.${isStateDeleted ? '' : leftover}`;
}

/** An app schema may be gone for good: that must not keep its integration from being deleted. */
async function deleteState(
  { operations, logger }: Parts,
  integration: StoredIntegration,
  fence: string,
): Promise<boolean> {
  try {
    await operations.deleteState(integration, fence);
    return true;
  } catch (error) {
    logger.warn({ err: error, id: integration.id, appId: integration.appId }, 'state of an integration stays behind');
    return false;
  }
}

/** Throws NotFound, for one of another environment too. */
export async function requireIntegration(
  { pool }: ServiceParts,
  { environment }: Caller,
  appId: string,
): Promise<StoredIntegration> {
  const integration = await findIntegration(pool, environment, appId);
  if (!integration) throw toNotFound(appId);
  return integration;
}

function toNotFound(appId: string): NotFound {
  return new NotFound(`There is no integration for ${appId}.`);
}
