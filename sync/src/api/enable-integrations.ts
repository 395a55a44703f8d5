/** Enables or disables several integrations. None is enabled that the form could not save so. */
import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import type { ConfigProblem } from '@portal/contract/sync-config';
import { maxEnabledAtOnce, type setEnabled } from '@portal/contract/sync-integration';
import { describeFaults } from '@portal/kit/describe-faults';
import { NotFound, Problem } from '@portal/kit/problems';
import { Slots } from '@portal/kit/slots';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { findIntegrations } from '../portal-store/integrations.store.ts';
import { setDesiredStatus } from '../portal-store/status.store.ts';
import { requireEnvironment, type ServiceParts } from '../setup/service-parts.ts';
import type { Caller } from './caller.ts';
import { checkConfig } from './check-config.ts';
import { toNotFound } from './delete-integration.ts';
import { findObstacles } from './examine-target.ts';
import { InvalidFields } from './invalid-fields.ts';
import { toConnectionTarget } from './save-integration.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions };
type Result = ResponseOf<typeof setEnabled>[number];

/** How long the check of one integration may take. */
const checkTimeoutMs = 40_000;

/** Limits how many integrations are checked at once, because each check opens connections. */
const checks = new Slots(maxEnabledAtOnce);

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
  if (enabled)
    return Promise.all(
      integrations.map((integration) => checks.run(caller.user, () => enable(parts, caller, integration))),
    );
  const results: Result[] = [];
  for (const integration of integrations) results.push(await change(parts, caller, integration, 'disable'));
  return results;
}

async function enable(parts: Parts, caller: Caller, integration: StoredIntegration): Promise<Result> {
  const { appId, status } = integration;
  if (status === 'Enabled') return change(parts, caller, integration, 'enable');
  const refuse = (message: string, problems?: readonly ConfigProblem[]): Result => ({
    appId,
    status,
    message,
    ...(problems && { problems: [...problems] }),
  });
  try {
    if (await hasOpenQuestion(parts.operations, integration))
      return refuse('It needs a decision first. Open the integration and choose an answer, which also enables it.');
    const { problems, warnings } = await check(parts, caller, integration);
    if (problems.length > 0) return refuse(`It cannot run: ${describeFaults(problems)}`, problems);
    const result = await change(parts, caller, integration, 'enable');
    return warnings === null ? result : { ...result, warnings };
  } catch (error) {
    // Other integrations of the same call do not depend on this one's platforms.
    if (error instanceof InvalidFields) return refuse(`It cannot run: ${error.message}`, error.problems);
    if (error instanceof Problem) return refuse(error.message);
    if (error instanceof Error && error.name === 'TimeoutError')
      return refuse(`It could not be checked within ${checkTimeoutMs / 1000} s. Try again later.`);
    throw error;
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

/** Whether an integration would halt again at once. */
async function hasOpenQuestion(operations: OperatorActions, integration: StoredIntegration): Promise<boolean> {
  return integration.figures.needsDecision && (await operations.readQuestion(integration)) !== null;
}

/** Makes the checks of a save for the stored configuration. */
async function check(parts: Parts, caller: Caller, stored: StoredIntegration) {
  const { appId: id, appName: name, dataSource } = stored;
  const config = { ...stored.config, enabled: true };
  const app = { id, name, schemaName: config.helium.dbSchema };
  const request = { caller, app, dataSource, config };
  const environment = requireEnvironment(parts.config, caller.environment);
  const checked = checkConfig({ ...request, environment, stored });
  if (!('config' in checked)) return { problems: checked.problems, warnings: null };
  const target = await toConnectionTarget(parts, request, checked, stored);
  return findObstacles(parts, target, AbortSignal.timeout(checkTimeoutMs));
}
