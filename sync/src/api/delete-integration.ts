/**
 * DESTROY: the integration, its logs, its history and what the engine keeps of it. What was carried
 * over stays.
 */
import { inTransaction } from '@portal/kit/postgres/pool';
import { NotFound } from '@portal/kit/problems';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { deleteIntegrationRow, findIntegration } from '../portal-store/integrations.store.ts';
import { tellIntegrationChanged } from '../portal-store/notifications.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import type { Leases } from '../supervisor/leases.ts';
import type { Caller } from './caller.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions; readonly leases: Leases };

/** Nobody else runs the integration for so long at most. */
const aloneForMs = 60_000;

/** Answers what has become of it, in a sentence. Throws NotFound. */
export async function deleteIntegration(parts: Parts, caller: Caller, appId: string): Promise<string> {
  const { pool, leases } = parts;
  const integration = await requireIntegration(parts, caller, appId);
  const { id } = integration;
  const isForgotten = await leases.alone(id, aloneForMs, async (fence) => {
    const isForgotten = await forget(parts, integration, fence);
    await inTransaction(pool, async (client) => {
      await deleteIntegrationRow(client, id);
      await tellIntegrationChanged(client, id);
    });
    return isForgotten;
  });
  if (isForgotten === undefined) throw missing(appId);
  const rest = ' What it kept in the Helium database could not be removed; nothing uses it any more.';
  return `Deleted.${isForgotten ? '' : rest}`;
}

/** An app schema may be gone for good: that must not keep its integration from being deleted. */
async function forget({ operations, logger }: Parts, integration: StoredIntegration, fence: string): Promise<boolean> {
  try {
    await operations.forget(integration, fence);
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
  if (!integration) throw missing(appId);
  return integration;
}

function missing(appId: string): NotFound {
  return new NotFound(`There is no integration for ${appId}.`);
}
