import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { PortalPools } from '../../database/portal-pools.ts';

/**
 * Measures request durations by route pattern; using the path itself would create a series per app.
 */
export function measureCalls(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'portal_http_request_duration_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
}

export function measurePools({ session, light, heavy }: PortalPools, registry: Registry): void {
  new Gauge({
    name: 'portal_database_connections',
    help: "Connections to the portal's database by pool, and requests waiting for one",
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { idleCount, totalCount, waitingCount }] of Object.entries({ session, light, heavy })) {
        this.set({ pool, state: 'idle' }, idleCount);
        this.set({ pool, state: 'used' }, totalCount - idleCount);
        this.set({ pool, state: 'waited for' }, waitingCount);
      }
    },
  });
}
