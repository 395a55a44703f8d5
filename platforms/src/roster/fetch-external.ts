/**
 * Fetches a configured address with limits, and sends credentials in it with HTTP Basic. Redirects
 * within its host are followed. Messages use the caller's description and never the address, which
 * may be secret.
 */
import { Problem, Unreachable } from '@portal/kit/problems';
import { toRequestTarget } from '@portal/kit/web-address';
import { describeConnectionFailure } from '../connection-failure.ts';
import { fetchWithRedirects } from '../follow-redirects.ts';

export interface ExternalFetchLimits {
  /** The limit for the whole response, not its first byte. */
  readonly timeoutMs: number;
  /** A larger response is rejected while it is received. */
  readonly maxBytes: number;
}

interface ExternalResponse {
  /** Null for 304. */
  readonly body: Buffer | null;
  readonly headers: Headers;
}

/** The server asked not to be called again until then. */
export class RetryLater extends Unreachable {
  readonly until: Date;

  constructor(message: string, until: Date) {
    super(message);
    this.until = until;
  }
}

/** The server answered with a status other than 200, 304 and 429. */
export class UnexpectedStatus extends Unreachable {
  readonly httpStatus: number;

  constructor(message: string, httpStatus: number) {
    super(message);
    this.httpStatus = httpStatus;
  }
}

/** The server did not answer in time, or there is no connection to it. */
export class NoAnswer extends Unreachable {}

const maxWaitMs = 60 * 60_000;
const defaultWaitMs = 60_000;
/** Bodies of failures are read only for their reason. */
const maxFailureBytes = 64 * 1024;
const maxReasonLength = 500;

export interface ExternalFetchOptions extends ExternalFetchLimits {
  /**
   * Finds the server's own reason in the body of a failure; it must not return what may be secret.
   * Default: bodies of failures are not read.
   */
  readonly readReason?: (body: string) => string | undefined;
}

/**
 * Throws NoAnswer, UnexpectedStatus or RetryLater for anything except status 200 and 304.
 *
 * @param what the subject of messages: "The calendar of Health"
 */
export async function fetchExternal(
  what: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  { timeoutMs, maxBytes, readReason }: ExternalFetchOptions,
): Promise<ExternalResponse> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const target = toRequestTarget(url);
    const { response } = await fetchWithRedirects(target.url, {
      headers: { ...headers, ...target.headers },
      signal: timeout.signal,
    });
    if (response.status === 304) return { body: null, headers: response.headers };
    if (response.status !== 200) throw toProblem(what, response, await findReason(response, readReason));
    return { body: await readBody(what, response, maxBytes), headers: response.headers };
  } catch (error) {
    if (timeout.signal.aborted)
      throw new NoAnswer(`${what} did not respond within ${timeoutMs / 1000} s.`, { timedOut: true });
    if (error instanceof Problem) throw error;
    throw new NoAnswer(`${what} cannot be reached: ${describeConnectionFailure(error)}.`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(what: string, response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection; the rest is never read.
    if (bytes > maxBytes) throw new Unreachable(`${what} is larger than ${maxBytes / 1024 / 1024} MB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the reason in the body of a failure, on one line and shortened. */
async function findReason(response: Response, readReason: ExternalFetchOptions['readReason']): Promise<string> {
  if (!readReason) {
    await response.body?.cancel();
    return '';
  }
  const body = await readBody('The reason', response, maxFailureBytes).catch(() => Buffer.alloc(0));
  const reason = (readReason(body.toString('utf8')) ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength - 1)}…` : reason;
}

function toProblem(what: string, { status, headers }: Response, reason: string): Unreachable {
  const waitMs = readWait(headers);
  if (status === 429 || (status === 503 && waitMs !== undefined))
    return new RetryLater(
      `${what} asked the portal to wait (status ${status}).`,
      new Date(Date.now() + Math.min(maxWaitMs, waitMs ?? defaultWaitMs)),
    );
  const text = `${what} ${describeStatus(status)}.`;
  return new UnexpectedStatus(reason === '' ? text : `${text} Its reason: ${reason}`, status);
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `does not accept the portal's credentials (status ${status})`;
  if (status === 404 || status === 410) return `was not found (status ${status})`;
  if (status >= 300 && status < 400)
    return `redirects to another address (status ${status}), which the portal does not follow`;
  return `returned status ${status}`;
}

/**
 * Reads how long the server asks to wait: seconds or a date in `retry-after`, else the seconds
 * until its limit is renewed.
 */
function readWait(headers: Headers): number | undefined {
  for (const name of ['retry-after', 'ratelimit-reset']) {
    const text = headers.get(name)?.trim();
    if (!text) continue;
    const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
    if (!Number.isNaN(waitMs)) return Math.max(0, waitMs);
  }
  return undefined;
}
