/**
 * The simulators' control routes, which no real platform has, for people and tests on the same
 * machine. See the list at the top of each `simulator.ts`.
 */
import { faultsSchema } from './faults.ts';
import type { HttpServer } from './http-server.ts';
import { readBody } from './read-body.ts';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Restricts everything below `/simulator/` to this machine and serves `/simulator/faults`. */
export function registerControlRoutes<Mode extends string>(http: HttpServer<Mode>): void {
  const { server, faults, modes, errors } = http;
  const order = faultsSchema(modes);

  server.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/simulator/') && !loopback.has(request.ip))
      throw errors.forbidden('Only available from this machine.');
  });
  server.get('/simulator/faults', () => faults.list());
  server.put('/simulator/faults', (request) => {
    faults.set(...readBody(order, request.body ?? null, errors));
    return faults.list();
  });
}
