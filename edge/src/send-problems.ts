import type { Problem as ProblemBody } from '@portal/contract/problem';
import { hideAddresses } from '@portal/kit/hide-addresses';
import { Problem } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describeProblem, type ProblemDescription, type ServiceWords } from './describe-problem.ts';
import { trackMethods } from './known-methods.ts';

const kinds: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'not-signed-in',
  403: 'refused',
  404: 'not-found',
  405: 'not-found',
  409: 'conflict',
  413: 'invalid',
  415: 'invalid',
  429: 'too-many',
  500: 'bug',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

/** Messages for the framework's own errors. */
const frameworkMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Only JSON is accepted. Send the header content-type: application/json.',
  FST_ERR_BAD_URL: 'The address is not a valid URL.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long.',
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The title of problems that have none. */
    problemTitle?: string;
  }
}

export type SendProblem = (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Returns a function that converts an error to a status and a body that people can read and clients
 * can distinguish. The framework also calls it for addresses that it rejects before routing.
 */
export function createSendProblem(words: ServiceWords): SendProblem {
  return (thrown, request, reply) => {
    const { id: requestId, log } = request;
    const response = describeFrameworkError(thrown) ?? describeProblem(thrown, words);
    // The framework's own messages quote the whole address.
    const reason = frameworkMessages[thrown.code] ?? thrown.message;
    if (response.status === 500) log.error({ requestId, err: thrown }, 'unexpected error');
    else log.info({ requestId, status: response.status, reason, cause: getCauseMessage(thrown) }, 'request refused');
    return send(request, reply, response);
  };
}

/** Sends problems for everything that handlers throw, for unknown paths and for wrong methods. */
export function sendProblems(app: FastifyInstance, sendProblem: SendProblem): void {
  app.setErrorHandler(sendProblem);
  const findMethods = trackMethods(app);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.replace(/\?.*/, '');
    const methods = findMethods(path);
    if (methods.length === 0)
      return send(request, reply, { status: 404, message: `There is nothing at ${shortenValue(path)}.` });
    reply.header('allow', methods.join(', '));
    return send(request, reply, {
      status: 405,
      message: `${shortenValue(path)} does not support ${request.method}, only ${methods.join(', ')}.`,
    });
  });
}

function describeFrameworkError(error: FastifyError): ProblemDescription | null {
  const { code, statusCode = 500, message } = error;
  if (error instanceof Problem || statusCode < 400 || statusCode >= 500) return null;
  return { status: statusCode, message: frameworkMessages[code] ?? message };
}

/** The text of an unknown error may contain secret addresses. */
function getCauseMessage({ cause }: Error): string | undefined {
  return cause === undefined ? undefined : hideAddresses(cause instanceof Error ? cause.message : String(cause));
}

function send(request: FastifyRequest, reply: FastifyReply, problem: ProblemDescription): FastifyReply {
  const {
    status,
    kind,
    message,
    title = request.problemTitle,
    fields,
    actions,
    unavailable,
    retryAfterSeconds,
  } = problem;
  const body: ProblemBody = {
    ...(title !== undefined && { title }),
    message,
    requestId: request.id,
    kind: kind ?? kinds[status] ?? (status < 500 ? 'invalid' : 'bug'),
    ...(fields && { fields }),
    ...(actions && { actions: [...actions] }),
    ...(unavailable !== undefined && { unavailable }),
  };
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return reply
    .code(status)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}
