import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { getSyncBase, withBase } from '@portal/contract/sync/base';
import { syncTexts } from '@portal/contract/sync/texts';
import { type CallOptions, call } from '../api/call.ts';
import { CallProblem } from '../api/call-problem.ts';

/**
 * Calls the sync service of an environment. Shows the specified message for a 502, and the
 * plain-text body of a proxy error.
 */
export async function callSync<E extends Endpoint>(
  environment: string,
  endpoint: E,
  payload: RequestOf<E>,
  options: CallOptions = {},
): Promise<ResponseOf<E>> {
  try {
    return await call<E>(withBase(getSyncBase(environment), endpoint), payload, options);
  } catch (error) {
    throw error instanceof CallProblem ? withSpecifiedMessage(error) : error;
  }
}

export function withSpecifiedMessage(problem: CallProblem): CallProblem {
  const message = getMessage(problem);
  if (message === problem.message) return problem;
  const { status, statusText, kind, title, requestId, fields, body } = problem;
  return new CallProblem({ status, statusText, kind, title, requestId, fields, body, message });
}

function getMessage({ status, kind, body, message }: CallProblem): string {
  if (status === 502 && !message.startsWith(syncTexts.badGateway)) return syncTexts.badGateway;
  const isPlainText = typeof body === 'string' && body.trim() !== '' && !/^\s*</.test(body);
  return kind === 'http' && isPlainText ? body.trim() : message;
}
