import { z } from 'zod';
import type { ErrorStyle } from '../kit/error-style.ts';
import { ApiProblem, invalidRequest } from './api-problem.ts';

export const apiErrors: ErrorStyle = {
  internalError: new ApiProblem('INTERNAL_SERVER_ERROR', 'Injected fault.').body,
  notFound: (method, path) => new ApiProblem('ROUTE_ERROR', `No route for ${method} ${path}`),
  forbidden: (message) => new ApiProblem('ROUTE_ERROR', message),
  invalid: (error) => invalidRequest(z.prettifyError(error)),
  send(reply, error) {
    const problem = asApiProblem(error);
    reply.code(problem.status);
    if (problem.retryAfterSeconds !== undefined) reply.header('Retry-After', problem.retryAfterSeconds);
    if (problem.type !== 'AUTHENTICATION_FAILED') return reply.send(problem.body);
    return reply
      .header('WWW-Authenticate', 'Basic realm="Application"')
      .type('text/plain; charset=utf-8')
      .send('HTTP Basic: Access denied.');
  },
};

function asApiProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const message = error instanceof Error ? error.message : 'Something went wrong.';
  return new ApiProblem(status < 500 ? 'INVALID_API_REQUEST' : 'INTERNAL_SERVER_ERROR', message);
}
