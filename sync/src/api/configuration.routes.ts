import type { ResponseOf } from '@portal/contract/endpoint';
import { type ConfigProblem, getTemplate, getTemplateEnrollment, testConnection } from '@portal/contract/sync/config';
import { getWebhooks, saveWebhookSecrets } from '@portal/contract/sync/webhooks';
import { readPayload } from '@portal/edge/read-payload';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { findIntegration } from '../portal-store/integrations.store.ts';
import { requireEnvironment } from '../setup/service-parts.ts';
import { appFactsSchema } from './app-facts.ts';
import { checkConfig } from './check-config.ts';
import { examineTarget } from './examine-target.ts';
import { InvalidFields } from './invalid-fields.ts';
import { limitConnectionTest } from './limit-connection-test.ts';
import { requireSameEnvironment } from './require-same-environment.ts';
import { toConnectionTarget } from './save-integration.ts';
import type { SyncRouter } from './sync-router.ts';
import { createEnrollmentTemplate, createTemplate } from './template.ts';
import { readWebhooks } from './webhooks.ts';

const appBodySchema = z.looseObject({ app: appFactsSchema });
const sourceBodySchema = z.looseObject({ app: appFactsSchema, dataSource: z.nullable(z.string()) });

/** What is needed to configure an integration: templates, a test of both connections, webhooks. */
export function configurationRoutes({ parts, route, routeTo }: SyncRouter): void {
  const { pool, config, logWriter } = parts;

  route(getTemplate, async ({ caller, input, request }) => {
    requireSameEnvironment(caller, input.environment);
    const environment = requireEnvironment(config, caller.environment);
    if (!environment.dataSources.some(({ heliumDataSourceName: name }) => name === input.dataSource))
      throw new InvalidFields([{ field: 'dataSource', reason: `is not one of ${environment.name}` }]);
    return createTemplate(parseApp(request, input.uuid), environment, input.journeyUserMode);
  });

  route(getTemplateEnrollment, async ({ caller, input }) => {
    requireSameEnvironment(caller, input.environment);
    return createEnrollmentTemplate(input.journeyUserMode);
  });

  route(testConnection, async ({ caller, input, request, signal }) => {
    const environment = requireEnvironment(config, caller.environment);
    const { app: facts, dataSource } = readPayload(sourceBodySchema, request.body);
    const stored = await findIntegration(pool, caller.environment, facts.id);
    const saveRequest = { caller, app: facts, dataSource, config: input.config };
    const checked = checkConfig({ ...saveRequest, environment, stored });
    if (!('config' in checked)) return toUntestedResult(checked.problems);
    return limitConnectionTest(
      await examineTarget(parts, await toConnectionTarget(parts, saveRequest, checked, stored), signal),
    );
  });

  routeTo(getWebhooks, (integration) => readWebhooks(parts, integration));

  routeTo(saveWebhookSecrets, async (integration, { caller, input: { secrets } }) => {
    await parts.webhooks.saveSecrets(integration, secrets);
    const done = secrets.length === 0 ? 'removed' : 'replaced';
    logWriter.write(integration.id, 'INFO', `${caller.user} ${done} the secrets of the webhooks.`);
    return readWebhooks(parts, integration);
  });
}

function parseApp({ body }: FastifyRequest, uuid: string) {
  const { app } = readPayload(appBodySchema, body);
  if (app.id !== uuid) throw new InvalidFields([{ field: 'uuid', reason: `is not the app ${app.id}` }]);
  return app;
}

function toUntestedResult(problems: readonly ConfigProblem[]): ResponseOf<typeof testConnection> {
  const side = { reached: false, message: 'Not tested: the configuration has errors.' };
  return limitConnectionTest({ helium: side, journey: side, problems: [...problems], notes: [] });
}
