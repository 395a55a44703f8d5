import { timingSafeEqual } from 'node:crypto';
import { getMetrics } from '@portal/contract/operations';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics } from 'prom-client';
import type { Dependencies } from '../../dependencies.ts';
import { measureAppChecks, measureCalls, measurePools } from './http-metrics.ts';

/**
 * Serves metrics for a monitoring system. They reveal usage, so they require a session, HTTP Basic,
 * or the configured token.
 */
export function metricsRoutes(
  app: FastifyInstance,
  { config, callers, pools, appChecks, registry }: Dependencies,
): void {
  collectDefaultMetrics({ register: registry });
  measureCalls(app, registry);
  measurePools(pools, registry);
  measureAppChecks(appChecks, registry);

  app.get(getMetrics.path, async (request, reply) => {
    if (!hasToken(request, config.metricsToken?.reveal())) await callers.require(request);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function hasToken(request: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const sent = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
