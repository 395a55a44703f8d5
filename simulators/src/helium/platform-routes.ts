/**
 * Helium's own routes: app list, configuration, scheduled events, and logins. A wrong login always
 * gets an empty 401.
 */

import {
  HeliumAppConfigPatch,
  HeliumEventToggle,
  HeliumServiceConfig,
  heliumPaths,
} from '@portal/platforms/helium/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorStyle } from '../kit/error-style.ts';
import { plainTextErrors, TextError } from '../kit/plain-text-errors.ts';
import { readBody } from '../kit/read-body.ts';
import { authenticate, canSeeApp } from './access.ts';
import type { EnvironmentDefinition, UserDefinition } from './definition.ts';
import type { Settings } from './settings.ts';
import type { SimulatedApp } from './simulated-app.ts';

export interface Platform {
  readonly definition: EnvironmentDefinition;
  readonly apps: readonly SimulatedApp[];
  readonly settings: Settings;
}

/** Requests credentials after a wrong login. */
export const heliumErrors: ErrorStyle = {
  ...plainTextErrors,
  send(reply, error) {
    if (error instanceof TextError && error.status === 401) reply.header('WWW-Authenticate', 'Basic realm="Helium"');
    return plainTextErrors.send(reply, error);
  },
};

export function registerPlatformRoutes(server: FastifyInstance, { definition, apps, settings }: Platform): void {
  const caller = (request: FastifyRequest): UserDefinition => {
    const user = authenticate(definition, request.headers.authorization);
    if (user === undefined) throw new TextError(401, '');
    if (user.readOnly && request.method !== 'GET')
      throw new TextError(403, `${user.userName} is not allowed to change anything`);
    return user;
  };
  const visibleApp = (request: FastifyRequest): SimulatedApp => {
    const user = caller(request);
    return findApp(apps, user, parameter(request, 'appId'));
  };

  server.get(heliumPaths.apps, (request) => {
    const user = caller(request);
    return apps
      .filter((app) => canSeeApp(user, app.definition.name))
      .map(({ id, definition: { name, fqdn, schemaName } }) => ({ id, name, fqdn, schemaName }));
  });

  server.get(heliumPaths.serviceConfig, (request) => {
    caller(request);
    return settings.service();
  });
  server.post(heliumPaths.serviceConfig, async (request) => {
    caller(request);
    const change = readBody(HeliumServiceConfig.partial(), request.body);
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    await settings.setService(Object.fromEntries(given));
    return settings.service();
  });

  server.get('/api/1/app-exec-admin/app-config/:appId', (request) => settings.app(visibleApp(request).id));
  server.post('/api/1/app-exec-admin/app-config/:appId', async (request, reply) => {
    const app = visibleApp(request);
    const patch = readBody(HeliumAppConfigPatch, request.body);
    return sendText(reply, await settings.patchApp(app.id, app.definition.name, patch));
  });

  server.get('/api/1/app-exec-admin/scheduled-events/:appId', (request) => {
    const app = visibleApp(request);
    return app.definition.functions.map(({ schedule, unit, event }) => ({
      schedule,
      unit,
      event,
      state: settings.isEnabled(app.id, `${unit}:${event}`) ? 'Enabled' : 'Disabled',
    }));
  });
  server.post('/api/1/app-exec-admin/scheduled-events/:appId', async (request, reply) => {
    const app = visibleApp(request);
    const { scheduledEvent, state } = readBody(HeliumEventToggle, request.body);
    const known = app.definition.functions.some(({ unit, event }) => `${unit}:${event}` === scheduledEvent);
    if (!known) throw new TextError(404, `${app.definition.name} has no scheduled event ${scheduledEvent}.`);
    await settings.setEvent(app.id, scheduledEvent, state);
    return sendText(reply, `${scheduledEvent} of ${app.definition.name} is ${state.toLowerCase()}.`);
  });

  server.post('/api/1/login/:appId', (request, reply) => {
    const user = authenticate(definition, request.headers.authorization);
    if (user === undefined) throw new TextError(401, '');
    const app = findApp(apps, user, parameter(request, 'appId'));
    const config = settings.app(app.id);
    if (config.disabled) throw new TextError(503, config.disabledMessage ?? `${app.definition.name} is disabled.`);
    if (config.locked) throw new TextError(503, config.lockedMessage ?? `${app.definition.name} is locked.`);
    return sendText(reply, `Signed into ${app.definition.name} as ${user.userName}.`);
  });
}

/** Also thrown when the app exists but this user cannot see it. */
export function findApp(apps: readonly SimulatedApp[], user: UserDefinition, appId: string): SimulatedApp {
  const app = apps.find(({ id }) => id === appId);
  if (app === undefined || !canSeeApp(user, app.definition.name)) throw new TextError(404, `There is no app ${appId}.`);
  return app;
}

export function parameter(request: FastifyRequest, name: string): string {
  const { params } = request;
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === 'string' ? value : '';
}

export function sendText(reply: FastifyReply, content: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(content);
}
