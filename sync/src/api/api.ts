import { createHttpApp } from '@portal/edge/http-app';
import { takeRequestId } from '@portal/edge/request-id';
import { allowSockets } from '@portal/edge/sockets';
import type { FastifyInstance } from 'fastify';
import type { FigureWriter } from '../supervisor/figure-writer.ts';
import { requireToken } from './caller.ts';
import { LogTails } from './log-tails.ts';
import { createMetrics } from './metrics.ts';
import { serviceWords } from './service-words.ts';
import { syncRoutes } from './sync.routes.ts';
import { syncSocket } from './sync.socket.ts';
import type { ApiParts } from './sync-router.ts';
import { webhookRoutes } from './webhooks.ts';

/** The largest message is a configuration, with what the server adds. */
const maxFrameBytes = 300 * 1024;

/**
 * Builds the service's HTTP API for the portal's server and for monitoring. Every path except
 * `/health` requires a token.
 */
export async function buildApi(parts: ApiParts & { readonly figureWriter: FigureWriter }): Promise<FastifyInstance> {
  const { pool, notifications, logger, token, figureWriter } = parts;
  const { metricsToken } = parts.config;
  const app = createHttpApp({ logger, words: serviceWords, genReqId: takeRequestId });
  app.addHook('onRequest', async (request, reply) => {
    // Nothing owns the connection of a refused upgrade: left open, it would block shutdown.
    if (request.headers.upgrade !== undefined) reply.raw.once('finish', () => request.raw.socket.destroySoon());
    if (request.url === '/health') return;
    requireToken(request, request.url === '/metrics' && metricsToken ? [token, metricsToken] : [token]);
  });
  await allowSockets(app, serviceWords, { maxFrameBytes });

  const tails = new LogTails(pool, notifications, logger);
  app.addHook('onClose', () => tails.stop());
  const metrics = createMetrics(parts, { figureWriter, tails });

  app.get('/health', () => ({
    status: 'ok',
    ...(notifications.warning !== undefined && { warnings: [notifications.warning] }),
  }));
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
  syncRoutes(app, parts);
  webhookRoutes(app, parts);
  syncSocket(app, { ...parts, tails });
  return app;
}
