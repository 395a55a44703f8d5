/**
 * What an answer other than success means. Of Journey's errors only the status and `type` may be
 * relied upon.
 */
import { JourneyProblem } from './journey-problem.ts';
import { retryAfterMsOf } from './retry-after.ts';
import { JourneyError } from './wire.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** @param name How sentences begin, such as "Journey run-us.journeyapps.com" */
export function problemOfStatus(name: string, call: string, answer: Answer, isWrite: boolean): JourneyProblem {
  const { status, headers } = answer;
  if (status === 401 || status === 403) {
    return new JourneyProblem(`${name} does not accept these credentials (status ${status}).`, {
      kind: 'credentials-refused',
    });
  }
  if (status === 429) {
    const retryAfterMs = retryAfterMsOf(headers) ?? 1_000;
    const words = `${name} was asked too often and wants to be left alone for ${Math.ceil(retryAfterMs / 1000)} s.`;
    return new JourneyProblem(words, { kind: 'rate-limited', retryAfterMs });
  }
  if (status === 413) {
    return new JourneyProblem(`${name} finds ${call} too large.`, { kind: 'too-large', what: 'request' });
  }
  if (status >= 500 || status === 408) {
    const failure = { kind: 'server-trouble', status, retryAfterMs: retryAfterMsOf(headers) } as const;
    return new JourneyProblem(`${name} answered ${call} with status ${status}.`, failure, { isWrite });
  }
  return verdictOf(name, call, answer) ?? unexpected(name, call, answer, isWrite);
}

/**
 * Undefined when it is not Journey that speaks: a proxy's 404 must not pass for an object that is
 * gone.
 */
function verdictOf(name: string, call: string, { status, bytes }: Answer): JourneyProblem | undefined {
  const error = status >= 400 ? errorIn(bytes) : undefined;
  if (!error) return undefined;
  const kind = status === 404 ? 'not-found' : 'invalid-request';
  const said = (error.detail || error.title || error.type).slice(0, 500);
  return new JourneyProblem(`${name} refuses ${call}: ${said}`, { kind, type: error.type });
}

function errorIn(bytes: Uint8Array): JourneyError | undefined {
  try {
    return JourneyError.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function unexpected(name: string, call: string, { status, headers, bytes }: Answer, isWrite: boolean): JourneyProblem {
  const words = isWebPage(headers, bytes)
    ? `answered ${call} with a web page (status ${status}) instead of data`
    : status >= 300 && status <= 399
      ? `sends ${call} elsewhere (status ${status}), where the portal does not go`
      : `answered ${call} with status ${status}, which is not in Journey's way`;
  return new JourneyProblem(`${name} ${words}.`, { kind: 'unexpected-answer' }, { isWrite });
}

export function isWebPage(headers: Headers, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 100)).toString('latin1');
  return (headers.get('content-type') ?? '').includes('html') || /^\s*<(!doctype|html)/i.test(start);
}
