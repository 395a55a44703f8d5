import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { AppChecks } from '../../app-checks/app-checks.ts';
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

/** Measures how old what home shows of apps may be, on whichever node reads them. */
export function measureAppChecks(appChecks: AppChecks, registry: Registry): void {
  new Gauge({
    name: 'portal_oldest_app_check_seconds',
    help: 'Age of the oldest background check of an app that someone views, by environment',
    labelNames: ['environment'],
    registers: [registry],
    async collect() {
      this.reset();
      // The other metrics matter most while the database is unavailable.
      for (const { environment, seconds } of await appChecks.readOldestAges().catch(() => []))
        this.set({ environment }, seconds);
    },
  });
}
