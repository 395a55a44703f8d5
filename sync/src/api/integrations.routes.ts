import { getActivity, listActivity, listedHours } from '@portal/contract/sync/activity';
import {
  getIntegration,
  getStatusHistory,
  listIntegrations,
  moveCursor,
  revealPassword,
  setEnabled,
  tryNow,
} from '@portal/contract/sync/integration';
import { Conflict, NotFound } from '@portal/kit/problems';
import { listActivities, readActivity } from '../portal-store/activity.store.ts';
import { saveVersionFigure } from '../portal-store/figures.store.ts';
import { listIntegrations as listStored, readIntegration } from '../portal-store/integrations.store.ts';
import { requestAttempt } from '../portal-store/leases.store.ts';
import { applyStatusEvent, readStatusHistory } from '../portal-store/status.store.ts';
import { setIntegrationsEnabled } from './enable-integrations.ts';
import { toConfigResponse, toIntegrationResponse } from './integration-response.ts';
import { InvalidFields } from './invalid-fields.ts';
import { requireRunnable } from './require-runnable.ts';
import { requireSameEnvironment } from './require-same-environment.ts';
import type { SyncRouter } from './sync-router.ts';

/** Integrations as a whole: their status, history, activity and place in the logs. */
export function integrationRoutes({ parts, route, routeTo }: SyncRouter): void {
  const { pool, operations, leases, logWriter, passwords } = parts;

  route(listIntegrations, async ({ caller, input }) => {
    requireSameEnvironment(caller, input.environment);
    const nowMs = Date.now();
    return (await listStored(pool, caller.environment)).map((integration) => toIntegrationResponse(integration, nowMs));
  });

  routeTo(getIntegration, async (integration) => ({
    ...toIntegrationResponse(integration, Date.now()),
    config: toConfigResponse(integration),
  }));

  route(setEnabled, ({ caller, input }) => setIntegrationsEnabled(parts, caller, input));

  routeTo(tryNow, async ({ id, appId, status }, { caller }) => {
    if (status !== 'Enabled')
      throw new Conflict(`The integration for ${appId} is ${status.toLowerCase()}. Enable it to try again.`);
    logWriter.write(id, 'INFO', `${caller.user} requested the next attempt now.`);
    await requestAttempt(pool, id);
    return { message: 'The next attempt starts within a second.' };
  });

  routeTo(revealPassword, async (integration) => ({ password: (await passwords.read(integration)).reveal() }));

  routeTo(getStatusHistory, ({ id }) => readStatusHistory(pool, id));

  routeTo(moveCursor, async (integration, { caller, input: { direction, version }, signal }) => {
    const { id, appId } = integration;
    const to = { direction, version, journeyPassword: await passwords.read(integration) };
    const problem = version === '0' ? null : await operations.findVersionProblem(integration, to, signal);
    if (problem !== null) throw new InvalidFields([{ field: 'version', reason: problem }]);
    // Moving the cursor enables a halted one.
    if (integration.status === 'Halted') await requireRunnable(parts, caller, integration);
    const name = direction === 'helium-to-journey' ? 'changeLogVersion' : 'oplogVersion';
    const moved = await leases.withExclusiveLease(id, async (fence) => {
      await operations.moveCursor(integration, { fence, direction, version });
      await saveVersionFigure(pool, id, { name, version });
      logWriter.write(id, 'WARNING', `${caller.user} resumed ${direction} from version ${version}.`);
      const reason = `${direction} resumed from ${version}`;
      await applyStatusEvent(pool, { id, event: 'cursor-moved', by: caller.user, reason });
      return readIntegration(pool, id);
    });
    if (!moved) throw new NotFound(`The integration for ${appId} no longer exists.`);
    // As requested: from a smaller version, the next run reads everything and keeps its own.
    return { ...toIntegrationResponse(moved, Date.now()), [name]: version };
  });

  routeTo(getActivity, ({ id }, { input: { span } }) => readActivity(pool, id, span, Date.now()));

  route(listActivity, async ({ caller }) => {
    const times = { hours: listedHours, nowMs: Date.now() };
    const { from, byApp } = await listActivities(pool, caller.environment, times);
    return { from, integrations: [...byApp].map(([appId, intervals]) => ({ appId, intervals })) };
  });
}
