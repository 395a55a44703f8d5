import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';

const databaseTimeoutMs = 2_000;

/**
 * Serves the health checks: `healthz` reports that the process is running, `readyz` that it can
 * handle requests or why not. Both are public and reveal nothing else.
 */
export function healthRoutes(app: FastifyInstance, { pools, logger }: Dependencies): void {
  app.get('/healthz', () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    const reason = await Promise.race([
      pools.session.query('select 1').then(
        () => undefined,
        (error: Error) => error.message || 'no response',
      ),
      wait(databaseTimeoutMs, `no response within ${databaseTimeoutMs / 1000} s`, { ref: false }),
    ]);
    if (reason === undefined) return { ready: true, reasons: [] };
    // The endpoint is public, so addresses and roles of the database stay in the log.
    logger.warn({ reason: reason }, 'not ready: the database is unavailable');
    return reply
      .code(503)
      .send({ ready: false, reasons: ["The portal's database is unavailable. See the log for the reason."] });
  });
}
