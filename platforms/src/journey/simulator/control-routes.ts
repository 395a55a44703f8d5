/**
 * What no real backend has: the simulator's own switches, for people and tests on the same machine. See the list at the
 * top of `simulator.ts`.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parameterOf } from './api.ts';
import { ApiProblem, invalidRequest } from './api-problem.ts';
import type { DeploymentHandle } from './deployment-handle.ts';
import { Fault, type Faults } from './faults.ts';
import type { HttpServer } from './http-server.ts';
import { methods } from './operations.ts';

const FaultOrder = z.union([z.array(Fault), Fault, z.null()]);
const SettingsOrder = z.strictObject({
  password: z.string().min(1).optional(),
  rateLimit: z
    .union([z.literal('off'), z.strictObject({ perSecond: z.number().positive(), burst: z.number().min(1) })])
    .optional(),
  clockSkewMs: z.int().optional(),
  multiDevice: z.boolean().optional(),
});
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

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

export function registerControlRoutes(
  { server }: HttpServer,
  deployments: readonly DeploymentHandle[],
  faults: Faults,
  cutConnections: () => void,
): void {
  server.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/simulator/') && !loopback.has(request.ip))
      throw new ApiProblem('ROUTE_ERROR', 'Only from this machine.');
  });
  const addressed = (request: FastifyRequest): DeploymentHandle => {
    const id = parameterOf(request, 'deployment');
    const found = deployments.find((deployment) => deployment.id === id);
    if (found === undefined) throw new ApiProblem('ACCOUNT_NOT_FOUND', `There is no deployment ${id}.`);
    return found;
  };

  server.get('/simulator/faults', () => faults.list());
  server.put('/simulator/faults', (request) => {
    const order = checked(FaultOrder, request.body ?? null);
    if (order === null) faults.clear();
    else faults.set(...(Array.isArray(order) ? order : [order]));
    return faults.list();
  });
  server.post('/simulator/cut-connections', (_request, reply) => {
    reply.raw.on('finish', cutConnections);
    return { cut: true };
  });
  server.put('/simulator/deployments/:deployment/datamodel', (request) => {
    const xml = checked(z.string('must be sent as application/xml'), request.body);
    return addressed(request).deploy(xml);
  });
  server.put('/simulator/deployments/:deployment/settings', (request) => {
    const deployment = addressed(request);
    const order = checked(SettingsOrder, request.body);
    if (order.password !== undefined) deployment.setPassword(order.password);
    if (order.rateLimit !== undefined) deployment.setRateLimit(order.rateLimit);
    if (order.clockSkewMs !== undefined) deployment.setClockSkew(order.clockSkewMs);
    if (order.multiDevice !== undefined) deployment.setMultiDevice(order.multiDevice);
    return order;
  });
  server.post('/simulator/deployments/:deployment/edit', async (request) => {
    const outcomes = await addressed(request).device.edit(...checked(EditOrder, request.body).operations);
    return outcomes.map((outcome) => (outcome.success ? outcome : { success: false, error: outcome.problem.body }));
  });
  server.post('/simulator/deployments/:deployment/play', (request) =>
    addressed(request).device.play(checked(PlayOrder, request.body).count),
  );
  server.post('/simulator/deployments/:deployment/drop-op-log', async (request) => ({
    dropped: await addressed(request).dropOpLog(checked(RetentionOrder, request.body)),
  }));
}

function checked<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw invalidRequest(z.prettifyError(error));
  return data;
}
