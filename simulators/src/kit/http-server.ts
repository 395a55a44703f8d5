/**
 * The HTTP server of a simulator, which injects the requested faults between the network and the
 * routes.
 */
import { setTimeout as wait } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ErrorStyle } from './error-style.ts';
import { createFaults, type Fault, type Faults } from './faults.ts';

interface HttpServerOptions<Mode extends string> {
  /** The supported faults; those that do not concern the network are left to the routes. */
  readonly modes: readonly Mode[];
  readonly errors: ErrorStyle;
  /** Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Whether each GET can be a HEAD. Default: no. */
  readonly hasHead?: boolean;
}

export interface HttpServer<Mode extends string> extends HttpServerOptions<Mode> {
  readonly server: FastifyInstance;
  readonly faults: Faults<Mode>;
  /** Returns the fault that affects this call. */
  getFault(request: FastifyRequest): Fault<Mode> | undefined;
}

export const htmlPage =
  '<!doctype html><html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>';

export function createHttpServer<Mode extends string>(options: HttpServerOptions<Mode>): HttpServer<Mode> {
  const { errors, maxBodyBytes = 4 * 1024 * 1024, hasHead = false } = options;
  const server = fastify({ forceCloseConnections: true, bodyLimit: maxBodyBytes, exposeHeadRoutes: hasHead });
  const faults = createFaults<Mode>();
  const injectFault = new WeakMap<FastifyRequest, Fault<Mode>>();

  server.addHook('onRequest', async (request, reply) => {
    const fault = faults.consume(request.method, getPath(request));
    if (fault === undefined) return undefined;
    injectFault.set(request, fault);
    switch (fault.mode) {
      case 'refuse':
        reply.hijack();
        request.raw.socket.resetAndDestroy();
        return undefined;
      case 'hang':
        reply.hijack();
        return undefined;
      case 'delay':
        await wait(fault.delayMs ?? 0, undefined, { ref: false });
        return undefined;
      case 'html':
        return reply
          .code(fault.status ?? 200)
          .type('text/html')
          .send(htmlPage);
      case 'error500':
        return reply.code(fault.status ?? 500).send(errors.internalError);
      default:
        return undefined;
    }
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const mode = injectFault.get(request)?.mode;
    if (mode === 'drop') dropConnection(request, reply, undefined);
    if (mode === 'half-body' && typeof payload === 'string') dropConnection(request, reply, payload);
    return payload;
  });

  server.setErrorHandler((error, _request, reply) => errors.send(reply, error));
  server.setNotFoundHandler((request, reply) => errors.send(reply, errors.notFound(request.method, getPath(request))));
  return { ...options, server, faults, getFault: (request) => injectFault.get(request) };
}

/** Closes the connection, after sending half of the response if there is one. */
function dropConnection(request: FastifyRequest, reply: FastifyReply, payload: string | undefined): void {
  reply.hijack();
  const { socket } = request.raw;
  if (payload === undefined) {
    socket.destroy();
    return;
  }
  const bytes = Buffer.from(payload);
  reply.raw.writeHead(reply.statusCode, {
    'content-type': String(reply.getHeader('content-type') ?? 'text/plain'),
    'content-length': bytes.length,
  });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => socket.destroy());
}

/** Returns the request's path without its query. */
export function getPath(request: { url?: string | undefined }): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

/**
 * Listens on this machine only, on a free port unless one is given. Throws when the port is in use.
 */
export async function listen(server: FastifyInstance, port = 0): Promise<{ port: number; baseUrl: string }> {
  const baseUrl = await server.listen({ host: '127.0.0.1', port });
  return { port: Number(new URL(baseUrl).port), baseUrl };
}
