/** The control routes for apps. See the list at the top of `simulator.ts`. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { registerControlRoutes } from '../kit/control-routes.ts';
import type { HttpServer } from '../kit/http-server.ts';
import { TextError } from '../kit/plain-text-errors.ts';
import { readBody } from '../kit/read-body.ts';
import { parameter, sendText } from './platform-routes.ts';
import { upgradeSchema } from './schema-upgrade.ts';
import type { SimulatedApp } from './simulated-app.ts';

const LoadOrder = z.strictObject({ linesPerSecond: z.int().min(0).max(1_000_000).nullable().default(10_000) });
const LogOrder = z.strictObject({
  lines: z.array(z.strictObject({ key: z.string(), value: z.string(), millis: z.int().optional() })).max(100_000),
});
const RunOrder = z.strictObject({ function: z.string() });

export function registerAppControls<Mode extends string>(http: HttpServer<Mode>, apps: readonly SimulatedApp[]): void {
  const { server } = http;
  registerControlRoutes(http);
  const addressed = (request: FastifyRequest): SimulatedApp => {
    const app = apps.find(({ id }) => id === parameter(request, 'appId'));
    if (app === undefined) throw new TextError(404, `There is no app ${parameter(request, 'appId')}.`);
    return app;
  };

  let calls = 0;
  server.addHook('onRequest', async ({ url }) => {
    if (!url.startsWith('/simulator/')) calls += 1;
  });
  server.get('/simulator/calls', () => ({ calls }));

  server.put('/simulator/load/:appId', (request, reply) => {
    const app = addressed(request);
    const { linesPerSecond } = readBody(LoadOrder, request.body ?? {});
    app.load.set(linesPerSecond ?? undefined);
    const name = app.definition.name;
    if (linesPerSecond === null) return sendText(reply, `${name} has stopped logging load.`);
    return sendText(
      reply,
      linesPerSecond === 0 ? `${name} logs without limit.` : `${name} logs ${linesPerSecond} lines per second.`,
    );
  });

  server.post('/simulator/log/:appId', { bodyLimit: 64 * 1024 * 1024 }, (request, reply) => {
    const { lines } = readBody(LogOrder, request.body);
    addressed(request).feed.emit(
      lines.map(({ key, value, millis }) => (millis === undefined ? { key, value } : { key, value, millis })),
    );
    return sendText(reply, `Logged ${lines.length} lines.`);
  });

  server.post('/simulator/run/:appId', async (request) => {
    const app = addressed(request);
    const { function: name } = readBody(RunOrder, request.body);
    const definition = app.definition.functions.find(({ unit, event }) => `${unit}:${event}` === name);
    if (definition === undefined) throw new TextError(404, `${app.definition.name} has no function ${name}.`);
    const result = await app.run(definition);
    if (result === undefined)
      throw new TextError(409, `${name} did not run: it is already running, or the app is disabled.`);
    return result;
  });

  server.post('/simulator/upgrade/:appId', async (request, reply) => {
    const app = addressed(request);
    await upgradeSchema(app.pool, app.definition);
    return sendText(reply, `${app.definition.name} has a new release.`);
  });

  server.post('/simulator/cut-sockets', (_request, reply) => {
    const cut = apps.reduce((sum, { feed }) => sum + feed.viewers(), 0);
    for (const { feed } of apps) feed.cut();
    return sendText(reply, `Closed ${cut} sockets.`);
  });
}
