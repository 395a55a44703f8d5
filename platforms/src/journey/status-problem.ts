/**
 * Translates error responses into problems. Only the status and `type` of Journey's errors are
 * reliable.
 */
import { describeAnswer } from './describe-answer.ts';
import { JourneyProblem } from './journey-problem.ts';
import { parseRetryAfterMs } from './retry-after.ts';
import { JourneyError } from './wire.ts';

interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

export interface FailedCall {
  /** The subject of the message, such as "Journey run-us.journeyapps.com". */
  readonly name: string;
  readonly call: string;
  readonly isWrite: boolean;
  /** What no message may repeat. */
  readonly secrets: readonly string[];
}

export function toStatusProblem(failed: FailedCall, response: ErrorResponse): JourneyProblem {
  const { name, call, isWrite } = failed;
  const { status, headers } = response;
  const error = status >= 400 ? parseError(response.bytes) : undefined;
  if (error ? status === 401 || status === 403 : isAccessDenied(response)) {
    return new JourneyProblem(`${name} does not accept these credentials (status ${status}).`, {
      kind: 'credentials-rejected',
    });
  }
  if (status === 429) {
    const retryAfterMs = parseRetryAfterMs(headers) ?? 1_000;
    const message = `${name} received too many calls and asked for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`;
    return new JourneyProblem(message, { kind: 'rate-limited', retryAfterMs });
  }
  const answer = error ? `status ${status}` : describeAnswer(response, failed.secrets);
  if (status === 413) {
    const message = `${name} rejects ${call} as too large (${answer}).`;
    return new JourneyProblem(message, { kind: 'too-large', what: 'request' });
  }
  if (status >= 500 || status === 408) {
    const failure = { kind: 'server-error', status, retryAfterMs: parseRetryAfterMs(headers) } as const;
    return new JourneyProblem(`${name} responded to ${call} with ${answer}.`, failure, { isWrite });
  }
  if (error) return toJourneyVerdict(failed, status, error);
  return toUnexpectedProblem(failed, response, answer);
}

/**
 * The text with which Journey refuses credentials. Any other 401 or 403 without an error of Journey
 * comes from something before it, and says nothing about the credentials.
 */
function isAccessDenied({ status, bytes }: ErrorResponse): boolean {
  return status === 401 && /^HTTP (Basic|Token): Access denied/.test(Buffer.from(bytes).toString('latin1'));
}

function toJourneyVerdict({ name, call }: FailedCall, status: number, error: JourneyError): JourneyProblem {
  const kind = status === 404 ? 'not-found' : 'invalid-request';
  const detail = (error.detail || error.title || error.type).slice(0, 500);
  return new JourneyProblem(`${name} refuses ${call}: ${detail}`, { kind, type: error.type });
}

/**
 * Returns undefined when the response is not from Journey: a proxy's 404 must not look like a
 * deleted object.
 */
function parseError(bytes: Uint8Array): JourneyError | undefined {
  try {
    return JourneyError.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function toUnexpectedProblem(
  { name, call, isWrite }: FailedCall,
  { status, headers, bytes }: ErrorResponse,
  answer: string,
): JourneyProblem {
  const description = isWebPage(headers, bytes)
    ? `responded to ${call} with a web page (${answer}) instead of data`
    : status >= 300 && status <= 399
      ? `redirects ${call} to another address (status ${status}), which the portal does not follow`
      : `responded to ${call} without data or a Journey error (${answer})`;
  return new JourneyProblem(`${name} ${description}.`, { kind: 'unexpected-response' }, { isWrite });
}

export function isWebPage(headers: Headers, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 100)).toString('latin1');
  return (headers.get('content-type') ?? '').includes('html') || /^\s*<(!doctype|html)/i.test(start);
}
