import type { Endpoint } from '@portal/contract/endpoint';
import { problemSchema } from '@portal/contract/problem';
import { needsSession } from '@portal/contract/rules';
import * as z from 'zod/mini';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * Describes the contract's endpoints as an OpenAPI 3.1 document. `cookieName` is the session
 * cookie.
 */
export function describeApi(endpoints: readonly Endpoint[], cookieName: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portal',
      version: '1',
      description:
        'The portal backend API. Sign in with `POST /portal-backend/api/apps`, which sets a cookie, or send HTTP ' +
        'Basic with platform credentials on each request (if there are several environments, with the `baseUrl` of one, ' +
        'in the query, or in a body of at most 16 kB). ' +
        'The endpoints under `/sync/api` are also served at `/sync-zm/api` and `/sync-stb/api`, depending on the environment.',
    },
    security: [{ session: [] }, { basic: [] }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
        basic: { type: 'http', scheme: 'basic' },
      },
      schemas: { Problem: toSchema(problemSchema, 'output') },
    },
  };
}

function describeOperation({
  method,
  path,
  summary,
  may,
  about,
  recorded,
  cost,
  request,
  query,
  response,
}: Endpoint): Record<string, unknown> {
  const requestSchema = request && toSchema(request, 'input');
  const parameters = [
    ...pathParameters(path),
    ...(requestSchema && method === 'GET' ? queryParameters(requestSchema) : []),
    ...(query ? queryParameters(toSchema(query, 'input')) : []),
  ];
  return {
    summary,
    tags: [getTag(path)],
    'x-rules': { may, about, recorded, cost },
    ...(!needsSession(may) && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestSchema &&
      method !== 'GET' && {
        requestBody: { required: true, content: { 'application/json': { schema: requestSchema } } },
      }),
    responses: {
      200: {
        description: 'Done',
        content: describeContent(response),
      },
      default: {
        description: 'Describes the error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function describeContent(response: Endpoint['response']): Record<string, unknown> {
  if (response === 'text') return { 'text/plain': { schema: { type: 'string' } } };
  if (response === 'bytes') return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  return { 'application/json': { schema: toSchema(response, 'output') } };
}

function getTag(path: string): string {
  const [, service = '', , part = 'portal'] = path.split('/');
  return service === 'sync' ? service : part;
}

function pathParameters(path: string): unknown[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): unknown[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function toSchema(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override({ zodSchema, jsonSchema }) {
      // The server refuses unknown fields of requests; pages ignore those of responses.
      if (io === 'input' && zodSchema._zod.def.type === 'object') jsonSchema.additionalProperties = false;
    },
  });
  return described;
}
