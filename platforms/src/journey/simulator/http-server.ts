/** The backend's HTTP server, with the trouble that was asked for between the network and the routes. */
import { setTimeout as wait } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { abandon, pathOf } from '../../simulator-calls.ts';
import { ApiProblem, invalidRequest } from './api-problem.ts';
import { type Fault, type Faults, htmlPage } from './faults.ts';
import { readForm } from './form.ts';

/** A photo of 25 MB in base64, in a batch. */
const bodyMaxBytes = 64 * 1024 * 1024;

export interface HttpServer {
  readonly server: FastifyInstance;
  /** What strikes this call. */
  faultOf(request: FastifyRequest): Fault | undefined;
}

export function createHttpServer(faults: Faults): HttpServer {
  const server = fastify({ forceCloseConnections: true, bodyLimit: bodyMaxBytes, exposeHeadRoutes: false });
  const struck = new WeakMap<FastifyRequest, Fault>();
  readBodies(server);

  server.addHook('onRequest', async (request, reply) => {
    const fault = faults.take(request.method, pathOf(request));
    if (fault === undefined) return undefined;
    struck.set(request, fault);
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
        return reply
          .code(fault.status ?? 500)
          .send(new ApiProblem('INTERNAL_SERVER_ERROR', 'As it was asked to.').body);
      case 'unauthorized':
        throw new ApiProblem('AUTHENTICATION_FAILED', 'As it was asked to.');
      case 'too-many-requests':
        throw new ApiProblem('TOO_MANY_REQUESTS', 'As it was asked to.', { retryAfterSeconds: 1 });
      default:
        return undefined;
    }
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const mode = struck.get(request)?.mode;
    if (mode === 'drop') abandon(request, reply, undefined);
    if (mode === 'half-body' && typeof payload === 'string') abandon(request, reply, payload);
    return payload;
  });

  server.setErrorHandler((problem, _request, reply) => sendProblem(reply, asApiProblem(problem)));
  server.setNotFoundHandler((request, reply) =>
    sendProblem(reply, new ApiProblem('ROUTE_ERROR', `No route for ${request.method} ${pathOf(request)}`)),
  );
  return { server, faultOf: (request) => struck.get(request) };
}

function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, text: string) => {
    if (text === '') return undefined;
    try {
      const body: unknown = JSON.parse(text);
      return body;
    } catch {
      throw invalidRequest('The body is not valid JSON.');
    }
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, text: string) => readForm(new URLSearchParams(text)),
  );
  server.addContentTypeParser(
    ['application/xml', 'text/xml'],
    { parseAs: 'string' },
    async (_request: unknown, text: string) => text,
  );
}

function asApiProblem(problem: unknown): ApiProblem {
  if (problem instanceof ApiProblem) return problem;
  const status = problem instanceof Error && 'statusCode' in problem ? Number(problem.statusCode) : 500;
  const words = problem instanceof Error ? problem.message : 'Something went wrong.';
  return new ApiProblem(status < 500 ? 'INVALID_API_REQUEST' : 'INTERNAL_SERVER_ERROR', words);
}

function sendProblem(reply: FastifyReply, problem: ApiProblem): FastifyReply {
  reply.code(problem.status);
  if (problem.retryAfterSeconds !== undefined) reply.header('Retry-After', problem.retryAfterSeconds);
  if (problem.type !== 'AUTHENTICATION_FAILED') return reply.send(problem.body);
  return reply
    .header('WWW-Authenticate', 'Basic realm="Application"')
    .type('text/plain; charset=utf-8')
    .send('HTTP Basic: Access denied.');
}
