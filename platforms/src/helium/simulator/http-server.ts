/** The environment's HTTP server, with the trouble that was asked for between the network and the routes. */
import { setTimeout as wait } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { abandon, pathOf } from '../../simulator-calls.ts';
import { type Faults, htmlPage } from './faults.ts';
import { Answer } from './platform-routes.ts';

export function createHttpServer(faults: Faults): FastifyInstance {
  const server = fastify({ forceCloseConnections: true, bodyLimit: 4 * 1024 * 1024, exposeHeadRoutes: false });

  server.addHook('onRequest', async (request, reply) => {
    const fault = faults.find(pathOf(request));
    if (fault?.mode === 'refuse') {
      reply.hijack();
      request.raw.socket.resetAndDestroy();
    } else if (fault?.mode === 'hang') {
      reply.hijack();
    } else if (fault?.mode === 'delay') {
      await wait(fault.delayMs ?? 0, undefined, { ref: false });
    } else if (fault?.mode === 'html') {
      return reply
        .code(fault.status ?? 200)
        .type('text/html')
        .send(htmlPage);
    } else if (fault?.mode === 'error500') {
      return reply
        .code(fault.status ?? 500)
        .type('text/plain')
        .send('java.lang.NullPointerException');
    }
    return undefined;
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const mode = faults.find(pathOf(request))?.mode;
    if (mode === 'drop') abandon(request, reply, undefined);
    if (mode === 'half-body' && typeof payload === 'string') abandon(request, reply, payload);
    return payload;
  });

  server.setErrorHandler((problem, _request, reply) => {
    if (problem instanceof Answer) return say(reply, problem.status, problem.message);
    const status = problem instanceof Error && 'statusCode' in problem ? Number(problem.statusCode) : 500;
    return say(reply, status, problem instanceof Error ? problem.message : 'java.lang.IllegalStateException');
  });
  server.setNotFoundHandler((_request, reply) => say(reply, 404, 'No such address.'));
  return server;
}

function say(reply: FastifyReply, status: number, words: string): FastifyReply {
  if (status === 401) reply.header('WWW-Authenticate', 'Basic realm="Helium"');
  return words === '' ? reply.code(status).send() : reply.code(status).type('text/plain; charset=utf-8').send(words);
}
