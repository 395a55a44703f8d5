import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';

const databaseWithinMs = 2_000;

/**
 * For whoever runs the portal: `healthz` says that the process answers, `readyz` that it can do its
 * work, and if not, what is in the way. Both are open and tell nothing else.
 */
export function healthRoutes(app: FastifyInstance, { pool, logger }: Dependencies): void {
  app.get('/healthz', () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    const fault = await Promise.race([
      pool.query('select 1').then(
        () => undefined,
        (error: Error) => error.message || 'it does not answer',
      ),
      wait(databaseWithinMs, `it did not answer within ${databaseWithinMs / 1000} s`, { ref: false }),
    ]);
    if (fault === undefined) return { ready: true, reasons: [] };
    // Anybody may ask, so addresses and roles of the database stay in the log.
    logger.warn({ reason: fault }, 'not ready: the database cannot be used');
    return reply.code(503).send({ ready: false, reasons: ["The portal's database cannot be used; the log says why."] });
  });
}
