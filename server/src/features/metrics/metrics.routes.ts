import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics } from 'prom-client';
import type { Dependencies } from '../../dependencies.ts';
import { measureCalls, measurePool } from './http-metrics.ts';

/**
 * Numbers for a monitoring system. They tell who uses what how much, so they are for those who are
 * signed in, by session or HTTP Basic, and for a monitoring system that brings the configured
 * token.
 */
export function metricsRoutes(app: FastifyInstance, { config, callers, pool, registry }: Dependencies): void {
  collectDefaultMetrics({ register: registry });
  measureCalls(app, registry);
  measurePool(pool, registry);

  app.get('/metrics', async (request, reply) => {
    if (!hasToken(request, config.metricsToken?.reveal())) await callers.require(request);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function hasToken(request: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const sent = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}
