/**
 * Every way in which the sync service can fail the server, as the problem that callers are told.
 */
import { problemSchema } from '@portal/contract/problem';
import { syncTexts } from '@portal/contract/sync-texts';
import { Problem, Unreachable } from '@portal/kit/problems';
import { InvalidPayload } from '../http/problems.ts';

/** What the service said was wrong, passed on as it is. */
class ForwardedProblem extends Problem {
  readonly status: number;

  constructor(status: number, message: string, title: string | undefined) {
    super(message, title === undefined ? {} : { title });
    this.status = status;
  }
}

/** `cause` is for the log: callers hear the specified words only. */
export function badGateway(cause: unknown): Unreachable {
  return new Unreachable(syncTexts.badGateway, { cause });
}

export function timeoutProblem(timeoutMs: number): Unreachable {
  return new Unreachable(`The sync service did not answer within ${timeoutMs / 1000} s.`, { timedOut: true });
}

/** What an answer other than success comes to. */
export function toProblem(status: number, text: string): Problem {
  // The caller is signed in; it is the server that the service does not know, which is nothing a
  // caller could mend.
  if (status === 401) return badGateway('it does not accept the token');
  if (status < 400 || status === 502) return badGateway(`it answered with status ${status}`);
  const body = problemSchema.safeParse(parseJson(text));
  if (!body.success) return badGateway(`it answered with status ${status} and no reason`);
  const { message, title, fields } = body.data;
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
