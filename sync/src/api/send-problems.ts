import { randomBytes } from 'node:crypto';
import type { Problem as ProblemBody } from '@portal/contract/problem';
import type { ConfigProblem } from '@portal/contract/sync-config';
import { describeFaults, maxFaults } from '@portal/kit/describe-faults';
import { explainRefusedChange, isOutage, isPoolExhausted } from '@portal/kit/postgres/pool';
import { Invalid, Problem } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LeaseLostError } from '../integration/lease-lost-error.ts';

const kinds: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'not-signed-in',
  403: 'refused',
  404: 'not-found',
  409: 'conflict',
  429: 'busy',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

/** PostgreSQL's code for a statement timeout. */
const queryCanceled = '57014';

/** A request with invalid fields. */
export class InvalidFields extends Invalid {
  readonly problems: readonly ConfigProblem[];

  /** Reports the first of many problems. */
  constructor(problems: readonly ConfigProblem[]) {
    super(describeFaults(problems));
    this.problems = problems.slice(0, maxFaults);
  }
}

/**
 * Converts a thrown value to a status and a message. When `isBug`, the details go to the log and
 * the caller gets only the request id.
 */
export function describeProblem(error: unknown): { status: number; message: string; isBug: boolean } {
  if (error instanceof Problem) return { status: error.status, message: error.message, isBug: false };
  if (error instanceof LeaseLostError)
    return {
      status: 409,
      message: 'The integration is moving to another process. Try again in a moment.',
      isBug: false,
    };
  if (isPoolExhausted(error))
    return { status: 429, message: 'The sync service is busy. Try again in a few seconds.', isBug: false };
  if (isOutage(error))
    return { status: 503, message: "The portal's database cannot be reached. Try again in a moment.", isBug: false };
  const refusal = explainRefusedChange(error);
  if (refusal !== undefined)
    return {
      status: 503,
      message: `The portal's database accepts no changes at the moment (${refusal}).`,
      isBug: false,
    };
  if (error instanceof Error && 'code' in error && error.code === queryCanceled)
    return {
      status: 504,
      message: 'The database took too long to respond. Request less data, or try again.',
      isBug: false,
    };
  return {
    status: 500,
    message: 'Something went wrong in the sync service. Search its log for the request id.',
    isBug: true,
  };
}

export function sendProblems(app: FastifyInstance): void {
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) =>
    send(request, reply, {
      status: 404,
      message: `There is nothing at ${shortenValue(request.url.replace(/\?.*/, ''))}.`,
    }),
  );
}

function describeFrameworkError({ code, message }: FastifyError, { routeOptions }: FastifyRequest): string {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return `The request is too large. The limit is ${routeOptions.bodyLimit / 1024} kB.`;
  // These two quote the whole address.
  if (code === 'FST_ERR_BAD_URL') return 'The address is not a valid URL.';
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return 'A part of the address is too long.';
  return message;
}

/** Also used by the framework, which rejects invalid addresses before routing. */
export function sendProblem(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { statusCode = 500 } = error;
  const isFrameworkError = !(error instanceof Problem) && statusCode >= 400 && statusCode < 500;
  const response = isFrameworkError
    ? { status: statusCode, message: describeFrameworkError(error, request), isBug: false }
    : describeProblem(error);
  const { id: requestId, log } = request;
  if (response.isBug) log.error({ requestId, err: error }, 'unexpected error');
  else
    log.info(
      { requestId, status: response.status, reason: isFrameworkError ? response.message : error.message },
      'refused',
    );
  const fields = error instanceof InvalidFields ? toFieldMap(error.problems) : undefined;
  return send(request, reply, response, error instanceof Problem ? error.title : undefined, fields);
}

/** Returns the id the server gave the request, so that the same id finds it in both logs. */
export function getRequestId({ headers }: { readonly headers: FastifyRequest['headers'] }): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\w-]{1,64}$/.test(sent) ? sent : randomBytes(6).toString('hex');
}

function toFieldMap(problems: readonly ConfigProblem[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { field, reason } of problems) fields[field] ??= reason;
  return fields;
}

function send(
  { id: requestId }: FastifyRequest,
  reply: FastifyReply,
  { status, message }: { readonly status: number; readonly message: string },
  title?: string,
  fields?: Record<string, string>,
): FastifyReply {
  const body: ProblemBody = {
    ...(title !== undefined && { title }),
    message,
    requestId,
    kind: kinds[status] ?? (status < 500 ? 'invalid' : 'bug'),
    ...(fields && { fields }),
  };
  return reply.code(status).header('x-request-id', requestId).send(body);
}
