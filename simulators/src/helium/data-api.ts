/**
 * Data API V1 over an app's own tables. Changes go through Helium, so they appear in the
 * transaction log. Dates are milliseconds since 1970, blobs are base64, and attributes and
 * relations have their names in the app's language.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import pg from 'pg';
import { z } from 'zod';
import { TextError } from '../kit/plain-text-errors.ts';
import { readBody } from '../kit/read-body.ts';
import { authenticate } from './access.ts';
import { deleteObject, linkObjects, putObject, readObjects, unlinkObjects } from './data-objects.ts';
import type { ObjectDefinition } from './model.ts';
import { findApp, type Platform, parameter } from './platform-routes.ts';
import type { SimulatedApp } from './simulated-app.ts';

const Change = z.strictObject({ attributes: z.record(z.string(), z.unknown()).default({}) });
const Uuid = z.guid('is not a UUID');

interface Target {
  readonly app: SimulatedApp;
  readonly object: ObjectDefinition;
}

export function registerDataApi(server: FastifyInstance, { definition, apps }: Platform): void {
  const target = (request: FastifyRequest): Target => {
    const user = authenticate(definition, request.headers.authorization);
    if (user === undefined) throw new TextError(401, '');
    if (user.readOnly && request.method !== 'GET')
      throw new TextError(403, `${user.userName} is not allowed to change anything`);
    const app = findApp(apps, user, parameter(request, 'appId'));
    if (app.isDisabled()) throw new TextError(503, `${app.definition.name} is disabled.`);
    return { app, object: findObject(app, parameter(request, 'object')) };
  };
  const id = (request: FastifyRequest, name = 'uuid') => readBody(Uuid, parameter(request, name));
  const base = '/api/data/v1/:appId/:object';

  server.get(base, (request) => {
    const { app, object } = target(request);
    return readObjects(app, object);
  });
  server.get(`${base}/:uuid`, async (request) => {
    const { app, object } = target(request);
    const [record] = await readObjects(app, object, id(request));
    if (record === undefined) throw new TextError(404, `There is no ${object.name} ${id(request)}.`);
    return record;
  });
  server.post(`${base}/:uuid`, async (request, reply) => {
    const { app, object } = target(request);
    const { attributes } = readBody(Change, request.body ?? {});
    const created = await toReply(() => putObject(app, object, id(request), attributes));
    const [record] = await readObjects(app, object, id(request));
    return reply.code(created ? 201 : 200).send(record);
  });
  server.delete(`${base}/:uuid`, async (request, reply) => {
    const { app, object } = target(request);
    if (!(await deleteObject(app, object, id(request))))
      throw new TextError(404, `There is no ${object.name} ${id(request)}.`);
    return reply.code(204).send();
  });
  for (const [method, change] of [
    ['POST', linkObjects],
    ['DELETE', unlinkObjects],
  ] as const) {
    server.route({
      method,
      url: `${base}/:uuid/:relation/:other`,
      handler: async (request, reply) => {
        const { app, object } = target(request);
        const relation = parameter(request, 'relation');
        const found = await toReply(() => change(app, object, relation, id(request), id(request, 'other')));
        if (!found) throw new TextError(404, `There is no ${object.name} ${id(request)} with such a ${relation}.`);
        return reply.code(204).send();
      },
    });
  }
}

function findObject(app: SimulatedApp, name: string): ObjectDefinition {
  const object = app.definition.objects.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (object === undefined) throw new TextError(404, `${app.definition.name} has no object ${name}.`);
  return object;
}

/**
 * Errors caused by the data are the caller's mistake: class 22, and class 23 for broken references.
 */
async function toReply<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')) throw new TextError(400, error.message);
    throw error;
  }
}
