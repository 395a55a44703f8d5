import type { ResponseOf } from '@portal/contract/endpoint';
import * as sync from '@portal/contract/sync';
import type { ConfigProblem } from '@portal/contract/sync-config';
import { NotFound } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { HeldSelection, OperatorActions } from '../integration/operator-actions.ts';
import { findIntegration, listIntegrations, readIntegration } from '../portal-store/integrations.store.ts';
import { nudge } from '../portal-store/notifications.ts';
import { happen, readStatusHistory, wish } from '../portal-store/status.store.ts';
import { requireEnvironment, type ServiceParts } from '../setup/service-parts.ts';
import type { Leases } from '../supervisor/leases.ts';
import type { Caller } from './caller.ts';
import { checkConfig } from './check-config.ts';
import { requireIntegration } from './delete-integration.ts';
import { configResponse, integrationResponse } from './integration-response.ts';
import { read, route } from './route.ts';
import { targetOf } from './save-integration.ts';
import { InvalidFields } from './send-problems.ts';
import { enrollmentTemplateFor, templateFor } from './template.ts';

export type ApiParts = ServiceParts & { readonly operations: OperatorActions; readonly leases: Leases };

/**
 * What the server adds to a body: the app as its caller sees it, and whose database holds its
 * schema.
 */
export const appFactsSchema = z.object({
  id: z.string().check(z.minLength(1)),
  name: z.string(),
  schemaName: z.string(),
});
const withApp = z.object({ app: appFactsSchema });
const withSource = z.object({ app: appFactsSchema, dataSource: z.nullable(z.string()) });

const pageLimit = 100;
const moveAloneForMs = 60_000;

/** Every endpoint of the contract's `syncEndpoints`. */
export function syncRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { pool, config, operations, leases, lines, passwords } = parts;
  const require = (caller: Caller, appId: string) => requireIntegration(parts, caller, appId);

  route(app, sync.listIntegrations, async ({ caller, input }) => {
    requireSame(caller, input.environment);
    const nowMs = Date.now();
    return (await listIntegrations(pool, caller.environment)).map((integration) =>
      integrationResponse(integration, nowMs),
    );
  });

  route(app, sync.getIntegration, async ({ caller, appId }) => {
    const integration = await require(caller, appId);
    return { integration: integrationResponse(integration, Date.now()), config: configResponse(integration) };
  });

  route(app, sync.getTemplate, async ({ caller, input, request }) => {
    requireSame(caller, input.environment);
    const environment = requireEnvironment(config, caller.environment);
    if (!environment.dataSources.some(({ heliumDataSourceName: name }) => name === input.dataSource))
      throw new InvalidFields([{ field: 'dataSource', reason: `is not one of ${environment.name}` }]);
    return templateFor(appIn(request, input.uuid), environment, input.journeyUserMode);
  });

  route(app, sync.getTemplateEnrollment, async ({ caller, input }) => {
    requireSame(caller, input.environment);
    return enrollmentTemplateFor(input.journeyUserMode);
  });

  route(app, sync.testConnection, async ({ caller, input, request, signal }) => {
    const environment = requireEnvironment(config, caller.environment);
    const { app: facts, dataSource } = read(withSource, request.body);
    const stored = await findIntegration(pool, caller.environment, facts.id);
    const wished = { caller, app: facts, dataSource, config: input.config };
    const checked = checkConfig({ ...wished, environment, stored });
    if (!('config' in checked)) return untried(checked.problems);
    return operations.testConnection(await targetOf(parts, wished, checked, stored), signal);
  });

  route(app, sync.revealPassword, async ({ caller, input }) => {
    const password = await passwords.read(await require(caller, input.appId));
    return { password: password.reveal() };
  });

  route(app, sync.setEnabled, async ({ caller, input }) => {
    const answers: ResponseOf<typeof sync.setEnabled> = [];
    // All are there, or none is touched.
    const integrations = await Promise.all([...new Set(input.appIds)].map((appId) => require(caller, appId)));
    for (const { id, appId } of integrations) {
      const step = await wish(pool, { id, event: input.enabled ? 'enable' : 'disable', by: caller.user });
      if (!step || step.to === 'Gone') throw new NotFound(`There is no integration for ${appId} any more.`);
      lines.write(id, 'INFO', `${input.enabled ? 'Enabled' : 'Disabled'} by ${caller.user}.`);
      answers.push({ appId, status: step.to, message: step.message });
    }
    return answers;
  });

  route(app, sync.getHeldRecords, async ({ caller, appId, input: { after, limit = pageLimit, state } }) =>
    operations.readHeld(await require(caller, appId), { after, limit, state }),
  );

  route(app, sync.getConflicts, async ({ caller, appId, input: { after, limit = pageLimit } }) =>
    operations.readConflicts(await require(caller, appId), { after, limit }),
  );

  route(app, sync.retryHeld, async ({ caller, input }) => {
    const integration = await require(caller, input.appId);
    const records = await operations.retry(integration, selectionIn(input));
    lines.write(integration.id, 'INFO', `${caller.user} has held records tried again: ${records}.`);
    await nudge(pool, integration.id);
    return { records };
  });

  route(app, sync.skipHeld, async ({ caller, input }) => {
    const integration = await require(caller, input.appId);
    const records = await operations.skip(integration, selectionIn(input));
    lines.write(integration.id, 'INFO', `${caller.user} has held records skipped: ${records}.`);
    await nudge(pool, integration.id);
    return { records };
  });

  route(app, sync.getStatusHistory, async ({ caller, appId }) =>
    readStatusHistory(pool, (await require(caller, appId)).id),
  );

  route(app, sync.moveCursor, async ({ caller, input: { appId, direction, version } }) => {
    const integration = await require(caller, appId);
    const { id } = integration;
    const moved = await leases.alone(id, moveAloneForMs, async (fence) => {
      await operations.moveCursor(integration, { fence, direction, version });
      lines.write(id, 'WARNING', `${caller.user} has ${direction} go on from version ${version}.`);
      await happen(pool, {
        id,
        event: 'cursor-moved',
        by: caller.user,
        reason: `${direction} goes on from ${version}`,
      });
      return readIntegration(pool, id);
    });
    if (!moved) throw new NotFound(`There is no integration for ${appId} any more.`);
    const name = direction === 'helium-to-journey' ? 'changeLogVersion' : 'oplogVersion';
    // Its run will say so itself, as soon as there is one.
    return { ...integrationResponse(moved, Date.now()), [name]: version };
  });

  route(app, sync.getDrift, async ({ caller, appId }) => operations.readDrift(await require(caller, appId)));

  route(app, sync.auditDrift, async ({ caller, input }) => {
    const integration = await require(caller, input.appId);
    await operations.requestAudit(integration);
    lines.write(integration.id, 'INFO', `${caller.user} has both sides compared.`);
    await nudge(pool, integration.id);
    const isRun = integration.status === 'Enabled';
    return {
      message: isRun
        ? 'Both sides are being compared; the log tells what is found.'
        : 'Both sides are compared as soon as the integration is enabled.',
    };
  });
}

function requireSame({ environment }: Caller, said: string | undefined): void {
  if (said !== undefined && said !== environment)
    throw new InvalidFields([{ field: 'environment', reason: `is not ${environment}` }]);
}

function appIn({ body }: FastifyRequest, uuid: string) {
  const { app } = read(withApp, body);
  if (app.id !== uuid) throw new InvalidFields([{ field: 'uuid', reason: `is another app than ${app.id}` }]);
  return app;
}

function selectionIn({
  nos,
  kind,
}: {
  readonly nos?: string[] | undefined;
  readonly kind?: string | undefined;
}): HeldSelection {
  if (nos !== undefined && kind === undefined) return { nos };
  if (kind !== undefined && nos === undefined) return { kind };
  throw new InvalidFields([{ field: 'nos', reason: 'either these or a kind must be given' }]);
}

function untried(problems: readonly ConfigProblem[]): ResponseOf<typeof sync.testConnection> {
  const end = { reached: false, message: 'Not tried: the configuration has mistakes.' };
  return { helium: end, journey: end, problems: [...problems], notes: [] };
}
