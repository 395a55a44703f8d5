/**
 * Translates error responses into problems. Only the status and `type` of Journey's errors are
 * reliable.
 */
import { JourneyProblem } from './journey-problem.ts';
import { parseRetryAfterMs } from './retry-after.ts';
import { JourneyError } from './wire.ts';

interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** @param name the subject of the message, such as "Journey run-us.journeyapps.com" */
export function toStatusProblem(name: string, call: string, response: ErrorResponse, isWrite: boolean): JourneyProblem {
  const { status, headers } = response;
  if (status === 401 || status === 403) {
    return new JourneyProblem(`${name} does not accept these credentials (status ${status}).`, {
      kind: 'credentials-rejected',
    });
  }
  if (status === 429) {
    const retryAfterMs = parseRetryAfterMs(headers) ?? 1_000;
    const message = `${name} received too many calls and asked for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`;
    return new JourneyProblem(message, { kind: 'rate-limited', retryAfterMs });
  }
  if (status === 413) {
    return new JourneyProblem(`${name} rejects ${call} as too large.`, { kind: 'too-large', what: 'request' });
  }
  if (status >= 500 || status === 408) {
    const failure = { kind: 'server-error', status, retryAfterMs: parseRetryAfterMs(headers) } as const;
    return new JourneyProblem(`${name} responded to ${call} with status ${status}.`, failure, { isWrite });
  }
  return toJourneyVerdict(name, call, response) ?? toUnexpectedProblem(name, call, response, isWrite);
}

/**
 * Returns undefined when the response is not from Journey: a proxy's 404 must not look like a
 * deleted object.
 */
function toJourneyVerdict(name: string, call: string, { status, bytes }: ErrorResponse): JourneyProblem | undefined {
  const error = status >= 400 ? parseError(bytes) : undefined;
  if (!error) return undefined;
  const kind = status === 404 ? 'not-found' : 'invalid-request';
  const detail = (error.detail || error.title || error.type).slice(0, 500);
  return new JourneyProblem(`${name} refuses ${call}: ${detail}`, { kind, type: error.type });
}

function parseError(bytes: Uint8Array): JourneyError | undefined {
  try {
    return JourneyError.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function toUnexpectedProblem(
  name: string,
  call: string,
  { status, headers, bytes }: ErrorResponse,
  isWrite: boolean,
): JourneyProblem {
  const description = isWebPage(headers, bytes)
    ? `responded to ${call} with a web page (status ${status}) instead of data`
    : status >= 300 && status <= 399
      ? `redirects ${call} to another address (status ${status}), which the portal does not follow`
      : `responded to ${call} with status ${status} and no Journey error`;
  return new JourneyProblem(`${name} ${description}.`, { kind: 'unexpected-response' }, { isWrite });
}

export function isWebPage(headers: Headers, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 100)).toString('latin1');
  return (headers.get('content-type') ?? '').includes('html') || /^\s*<(!doctype|html)/i.test(start);
}
