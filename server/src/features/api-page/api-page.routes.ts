import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { endpoints } from '@portal/contract/endpoints';
import { getOpenApi } from '@portal/contract/operations';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { describeApi } from './openapi.ts';

/** Serves the OpenAPI document and a page for trying the endpoints with the browser's session. */
export async function apiPageRoutes(app: FastifyInstance, { cookie }: Dependencies): Promise<void> {
  const document = describeApi(endpoints, cookie.name);
  app.get(getOpenApi.path, () => document);
  // The page requires the plugin that generates a document from routes; ours comes from the
  // contract.
  await app.register(swagger);
  await app.register(swaggerUi, {
    routePrefix: '/api-docs',
    transformSpecification: () => document,
    transformSpecificationClone: false,
  });
}
