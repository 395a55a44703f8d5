import { type Problem as ProblemBody, parts } from '@portal/contract/problem';
import { explainRefusedChange, isOutage, isPoolExhausted } from '@portal/kit/postgres/pool';
import { Busy, Problem, TooMany, Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { trackMethods } from './known-methods.ts';
import { FailedActions, InvalidPayload, Unavailable } from './problems.ts';

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

/** PostgreSQL's error code of a statement timeout. */
const queryCanceled = '57014';

/** Messages for the framework's own errors. */
const frameworkMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Only JSON is accepted. Send the header content-type: application/json.',
  FST_ERR_BAD_URL: 'The address is not a valid URL.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long.',
};

interface ProblemResponse {
  readonly status: number;
  /** Replaces the kind of the status. */
  readonly kind?: string;
  readonly message: string;
  readonly title?: string | undefined;
  readonly fields?: Readonly<Record<string, string>>;
  readonly actions?: readonly string[];
  readonly unavailable?: string | undefined;
}

function toResponse(error: Error): ProblemResponse {
  if (error instanceof Problem) {
    const { status, message, title, unavailable } = error;
    return {
      status,
      message,
      title,
      unavailable,
      ...(error instanceof Busy && { kind: 'busy' }),
      ...(error instanceof InvalidPayload && { fields: error.fields }),
      ...(error instanceof FailedActions && { actions: error.actions }),
    };
  }
  if (isOutage(error))
    return toResponse(
      new Unavailable("The portal's database is unavailable. Try again in a moment.", { unavailable: parts.database }),
    );
  const refusal = explainRefusedChange(error);
  if (refusal !== undefined)
    return toResponse(new Unavailable(`The portal's database accepts no changes at the moment (${refusal}).`));
  const { code, statusCode } = error as FastifyError;
  if (code === queryCanceled)
    return toResponse(
      new Unreachable("The portal's database took too long. Request less data, or try again.", { timedOut: true }),
    );
  const frameworkMessage = frameworkMessages[code];
  if (frameworkMessage !== undefined && statusCode !== undefined)
    return { status: statusCode, message: frameworkMessage };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, message: error.message };
  return { status: 500, message: 'Internal error. Search the log for the request id.' };
}

/** Converts errors to a status and a body that people can read and clients can distinguish. */
export function handleProblems(app: FastifyInstance): void {
  app.setErrorHandler(handleProblem);
  const findMethods = trackMethods(app);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.replace(/\?.*/, '');
    const methods = findMethods(path);
    if (methods.length === 0)
      return sendProblem(request, reply, { status: 404, message: `There is nothing at ${shortenValue(path)}.` });
    reply.header('allow', methods.join(', '));
    return sendProblem(request, reply, {
      status: 405,
      message: `${shortenValue(path)} does not support ${request.method}, only ${methods.join(', ')}.`,
    });
  });
}

/** Also used by the framework, which rejects invalid URLs before routing. */
export function handleProblem(thrown: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = isPoolExhausted(thrown) ? new Busy('The portal is busy. Try again in a few seconds.', 2) : thrown;
  const response = toResponse(error);
  const { id: requestId, log } = request;
  // The framework's own messages quote the whole address.
  const reason = frameworkMessages[(error as FastifyError).code] ?? error.message;
  if (response.status === 500) log.error({ requestId, err: error }, 'unexpected error');
  else log.info({ requestId, status: response.status, reason, cause: getCauseMessage(error.cause) }, 'request refused');
  if (error instanceof TooMany) reply.header('retry-after', error.retryAfterSeconds);
  return sendProblem(request, reply, response);
}

function getCauseMessage(cause: unknown): unknown {
  return cause instanceof Error ? cause.message : cause;
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, kind, message, title, fields, actions, unavailable }: ProblemResponse,
): FastifyReply {
  const body: ProblemBody = {
    ...(title !== undefined && { title }),
    message,
    requestId: request.id,
    kind: kind ?? kinds[status] ?? (status < 500 ? 'invalid' : 'bug'),
    ...(fields && { fields }),
    ...(actions && { actions: [...actions] }),
    ...(unavailable !== undefined && { unavailable }),
  };
  return reply
    .code(status)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}
