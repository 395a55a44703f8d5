/** Converts failures of the sync service to problems for callers. */
import { parts, problemSchema } from '@portal/contract/problem';
import { syncTexts } from '@portal/contract/sync/texts';
import { InvalidPayload } from '@portal/edge/problems';
import { Busy, Problem, Unreachable } from '@portal/kit/problems';

/** A problem reported by the service, forwarded unchanged. */
export class ForwardedProblem extends Problem {
  readonly status: number;

  constructor(status: number, message: string, title?: string) {
    super(message, title === undefined ? {} : { title });
    this.status = status;
  }
}

const busyRetrySeconds = 2;

/** `cause` is only logged; callers see the specified message. */
export function badGateway(cause: unknown): Unreachable {
  return new Unreachable(syncTexts.badGateway, { cause });
}

/** Like `badGateway`, for a service without a connection. */
export function noConnection(cause: unknown): Unreachable {
  return new Unreachable(syncTexts.badGateway, { cause, unavailable: parts.syncService });
}

export function timeoutProblem(timeoutMs: number): Unreachable {
  return new Unreachable(`The sync service did not respond within ${timeoutMs / 1000} s.`, { timedOut: true });
}

/** Converts an error response to a problem. */
export function toProblem(status: number, text: string): Problem {
  // The service rejects the server's token, not the caller's session, so callers see a gateway
  // error.
  if (status === 401) return badGateway('it does not accept the token');
  if (status < 400 || status === 502) return badGateway(`it answered with status ${status}`);
  const body = problemSchema.safeParse(parseJson(text));
  if (!body.success) return badGateway(`it answered with status ${status} and no reason`);
  const { message, title, fields, kind } = body.data;
  if (kind === 'busy') return new Busy(message, busyRetrySeconds);
  if (status === 400 && fields !== undefined) return new InvalidPayload(fields, message);
  return new ForwardedProblem(status, message, title);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
