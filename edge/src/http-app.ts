import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import type { ServiceWords } from './describe-problem.ts';
import { defaultHttpLimits, type HttpLimits } from './http-limits.ts';
import { readJsonOnly } from './read-json.ts';
import { requireLiteralPaths } from './require-literal-path.ts';
import { createSendProblem, sendProblems } from './send-problems.ts';

export interface HttpAppOptions extends Pick<FastifyServerOptions, 'genReqId' | 'trustProxy'> {
  readonly logger: FastifyBaseLogger;
  readonly words: ServiceWords;
  readonly limits?: HttpLimits;
  /** Sets headers of every response. */
  readonly setHeaders?: (request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * Creates the HTTP app of a service, without routes. Every service answers wrong requests in the
 * same way: it accepts JSON within the limits, serves each path under its literal spelling, with or
 * without a slash at its end, and reports problems in the contract's format.
 */
export function createHttpApp({
  logger,
  words,
  limits = defaultHttpLimits,
  setHeaders = () => undefined,
  ...options
}: HttpAppOptions): FastifyInstance {
  const sendProblem = createSendProblem(words);
  const app = fastify({
    ...options,
    loggerInstance: logger,
    // A logger per request costs more than most requests do; the few that log pass their own
    // request id.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: limits.requestTimeoutMs,
    http: {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
    },
    // A dashboard's name is the longest path parameter.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    return503OnClosing: true,
    // No hooks run before these.
    frameworkErrors(error, request, reply) {
      setHeaders(request, reply);
      return sendProblem(error, request, reply);
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply);
    done();
  });
  requireLiteralPaths(app);
  sendProblems(app, sendProblem);
  readJsonOnly(app, limits.unfinishedBytes);
  return app;
}
