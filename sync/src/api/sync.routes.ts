import type { FastifyInstance } from 'fastify';
import { configurationRoutes } from './configuration.routes.ts';
import { conflictRoutes } from './conflicts.routes.ts';
import { enrollmentRoutes } from './enrollment.routes.ts';
import { integrationRoutes } from './integrations.routes.ts';
import { recordRoutes } from './records.routes.ts';
import { recoveryRoutes } from './recovery.routes.ts';
import { type ApiParts, createRouter } from './sync-router.ts';

/** Registers every endpoint of the contract's `syncEndpoints`. */
export function syncRoutes(app: FastifyInstance, parts: ApiParts): void {
  const router = createRouter(app, parts);
  integrationRoutes(router);
  configurationRoutes(router);
  recordRoutes(router);
  conflictRoutes(router);
  enrollmentRoutes(router);
  recoveryRoutes(router);
}
