/**
 * DESTROY: deletes the integration with its logs, its history and its engine state. Synced data
 * stays.
 */

import { inTransaction } from '@portal/kit/postgres/pool';
import { NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { deleteIntegrationRow, findIntegration } from '../portal-store/integrations.store.ts';
import { notifyIntegrationChanged } from '../portal-store/notifications.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import type { Leases } from '../supervisor/leases.ts';
import type { Caller } from './caller.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions; readonly leases: Leases };

/** Deletes the integration and returns the result as a sentence. Throws NotFound. */
export async function deleteIntegration(parts: Parts, caller: Caller, appId: string): Promise<string> {
  const { pool, leases } = parts;
  const integration = await requireIntegration(parts, caller, appId);
  const { id } = integration;
  const isStateDeleted = await leases.withExclusiveLease(id, async (fence) => {
    const isStateDeleted = await deleteState(parts, integration, fence);
    await inTransaction(pool, async (client) => {
      await deleteIntegrationRow(client, id);
      await notifyIntegrationChanged(client, id);
    });
    return isStateDeleted;
  });
  if (isStateDeleted === undefined) throw toNotFound(appId);
  const leftover = ' Its state in the Helium database could not be removed, but nothing uses it any longer.';
  return `Deleted.${isStateDeleted ? '' : leftover}`;
}

/**
 * Returns whether the engine state was deleted. An app schema that no longer exists must not block
 * the deletion.
 */
async function deleteState(
  { operations, logger }: Parts,
  integration: StoredIntegration,
  fence: string,
): Promise<boolean> {
  try {
    await operations.deleteState(integration, fence);
    return true;
  } catch (error) {
    logger.warn(
      { err: error, id: integration.id, appId: integration.appId },
      'the engine state of a deleted integration could not be removed',
    );
    return false;
  }
}

/** Returns the integration. Throws NotFound, also when it belongs to another environment. */
export async function requireIntegration(
  { pool }: ServiceParts,
  { environment }: Caller,
  appId: string,
): Promise<StoredIntegration> {
  const integration = await findIntegration(pool, environment, appId);
  if (!integration) throw toNotFound(appId);
  return integration;
}

export function toNotFound(appId: string): NotFound {
  return new NotFound(`There is no integration for ${shortenValue(appId)}.`);
}
