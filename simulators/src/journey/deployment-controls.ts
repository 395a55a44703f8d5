/** The control routes for deployments. See the list at the top of `simulator.ts`. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { registerControlRoutes } from '../kit/control-routes.ts';
import { faultsSchema } from '../kit/faults.ts';
import { readBody } from '../kit/read-body.ts';
import { getParameter } from './api.ts';
import { apiErrors } from './api-errors.ts';
import { ApiProblem } from './api-problem.ts';
import type { DeploymentHandle } from './deployment-handle.ts';
import type { JourneyServer } from './journey-server.ts';
import { methods } from './operations.ts';
import { webhookFaultModes } from './webhooks.ts';

const SettingsOrder = z.strictObject({
  password: z.string().min(1).optional(),
  rateLimit: z
    .union([z.literal('off'), z.strictObject({ perSecond: z.number().positive(), burst: z.number().min(1) })])
    .optional(),
  clockSkewMs: z.int().optional(),
  multiDevice: z.boolean().optional(),
  deviceEdits: z.boolean().optional(),
});
const WebhookOrder = z.strictObject({
  name: z.string(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  enabled: z.boolean().optional(),
  encoding: z.enum(['hex', 'base64']).optional(),
});
const WebhookFaultsOrder = faultsSchema(webhookFaultModes);
const PlayOrder = z.strictObject({ count: z.int().min(1).max(10_000) });
const RetentionOrder = z.strictObject({ keep: z.int().min(0) });
const EditOrder = z.strictObject({
  operations: z.array(
    z.strictObject({
      method: z.enum(methods),
      object: z.looseObject({ type: z.string(), id: z.string().optional() }),
    }),
  ),
});

export function registerDeploymentControls(
  http: JourneyServer,
  deployments: readonly DeploymentHandle[],
  cutConnections: () => void,
): void {
  const { server } = http;
  registerControlRoutes(http);
  const addressed = (request: FastifyRequest): DeploymentHandle => {
    const id = getParameter(request, 'deployment');
    const found = deployments.find((deployment) => deployment.id === id);
    if (found === undefined) throw new ApiProblem('ACCOUNT_NOT_FOUND', `There is no deployment ${id}.`);
    return found;
  };

  server.post('/simulator/cut-connections', (_request, reply) => {
    reply.raw.on('finish', cutConnections);
    return { cut: true };
  });
  server.put('/simulator/deployments/:deployment/datamodel', (request) => {
    const xml = readBody(z.string('must be sent as application/xml'), request.body, apiErrors);
    return addressed(request).deploy(xml);
  });
  server.put('/simulator/deployments/:deployment/settings', (request) => {
    const deployment = addressed(request);
    const order = readBody(SettingsOrder, request.body, apiErrors);
    if (order.password !== undefined) deployment.setPassword(order.password);
    if (order.rateLimit !== undefined) deployment.setRateLimit(order.rateLimit);
    if (order.clockSkewMs !== undefined) deployment.setClockSkew(order.clockSkewMs);
    if (order.multiDevice !== undefined) deployment.setMultiDevice(order.multiDevice);
    if (order.deviceEdits !== undefined) deployment.setDeviceEdits(order.deviceEdits);
    return order;
  });
  server.get('/simulator/deployments/:deployment/webhooks', (request) =>
    addressed(request).webhooks().map(describeWebhook),
  );
  server.put('/simulator/deployments/:deployment/webhooks', (request) => {
    const { name, enabled, ...settings } = readBody(WebhookOrder, request.body, apiErrors);
    return describeWebhook(addressed(request).setWebhook(name, { ...settings, isEnabled: enabled }));
  });
  server.get('/simulator/deployments/:deployment/webhook-faults', (request) => addressed(request).webhookFaults.list());
  server.put('/simulator/deployments/:deployment/webhook-faults', (request) => {
    const { webhookFaults } = addressed(request);
    webhookFaults.set(...readBody(WebhookFaultsOrder, request.body ?? null, apiErrors));
    return webhookFaults.list();
  });
  server.post('/simulator/deployments/:deployment/edit', async (request) => {
    const outcomes = await addressed(request).device.edit(...readBody(EditOrder, request.body, apiErrors).operations);
    return outcomes.map((outcome) => (outcome.success ? outcome : { success: false, error: outcome.problem.body }));
  });
  server.post('/simulator/deployments/:deployment/play', (request) =>
    addressed(request).device.play(readBody(PlayOrder, request.body, apiErrors).count),
  );
  server.post('/simulator/deployments/:deployment/drop-op-log', async (request) => ({
    dropped: await addressed(request).dropOpLog(readBody(RetentionOrder, request.body, apiErrors)),
  }));
}

function describeWebhook({ isEnabled, url, ...webhook }: ReturnType<DeploymentHandle['setWebhook']>) {
  return { ...webhook, url: url ?? null, enabled: isEnabled };
}
