import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { endpoints } from '@portal/contract/endpoints';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { describeApi } from './openapi.ts';

/**
 * The contract for machines, and a page on which people try the calls with the session of their
 * browser.
 */
export async function apiPageRoutes(app: FastifyInstance, { cookie }: Dependencies): Promise<void> {
  const document = describeApi(endpoints, cookie.name);
  app.get('/openapi.json', () => document);
  // The page needs the plugin that gathers a document from the routes; ours comes from the contract
  // instead.
  await app.register(swagger);
  await app.register(swaggerUi, {
    routePrefix: '/api-docs',
    transformSpecification: () => document,
    transformSpecificationClone: false,
  });
}
