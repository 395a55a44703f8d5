/**
 * Fetches a configured address with limits, and sends credentials in it with HTTP Basic. Messages
 * use the caller's description and never the address, which may be secret.
 */
import { Problem, Unreachable } from '@portal/kit/problems';
import { toRequestTarget } from '@portal/kit/web-address';
import { describeConnectionFailure } from '../connection-failure.ts';

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

const maxWaitMs = 60 * 60_000;

/**
 * Throws Unreachable or RetryLater for any status except 200 and 304.
 *
 * @param what the subject of messages: "The calendar of Health"
 */
export async function fetchExternal(
  what: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  { timeoutMs, maxBytes }: ExternalFetchLimits,
): Promise<ExternalResponse> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const target = toRequestTarget(url);
    const response = await fetch(target.url, {
      headers: { ...headers, ...target.headers },
      redirect: 'manual',
      signal: timeout.signal,
    });
    if (response.status === 304) return { body: null, headers: response.headers };
    if (response.status !== 200) {
      await response.body?.cancel();
      throw toProblem(what, response);
    }
    return { body: await readBody(what, response, maxBytes), headers: response.headers };
  } catch (error) {
    if (timeout.signal.aborted)
      throw new Unreachable(`${what} did not respond within ${timeoutMs / 1000} s.`, { timedOut: true });
    if (error instanceof Problem) throw error;
    throw new Unreachable(`${what} cannot be reached: ${describeConnectionFailure(error)}.`, { cause: error });
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

function toProblem(what: string, { status, headers }: Response): Unreachable {
  if (status === 401 || status === 403)
    return new Unreachable(`${what} does not accept the portal's credentials (status ${status}).`);
  if (status === 404 || status === 410) return new Unreachable(`${what} was not found (status ${status}).`);
  if (status === 429)
    return new RetryLater(
      `${what} asked the portal to wait (status 429).`,
      parseRetryAfter(headers.get('retry-after')),
    );
  if (status >= 300 && status < 400)
    return new Unreachable(
      `${what} redirects to another address (status ${status}), which the portal does not follow.`,
    );
  return new Unreachable(`${what} returned status ${status}.`);
}

/** Parses seconds or a date. Default: a minute; maximum: an hour. */
function parseRetryAfter(retryAfter: string | null): Date {
  const now = Date.now();
  const seconds = Number(retryAfter ?? Number.NaN);
  const requestedMs = Number.isNaN(seconds) ? Date.parse(retryAfter ?? '') - now : seconds * 1000;
  return new Date(now + Math.min(maxWaitMs, Math.max(0, Number.isNaN(requestedMs) ? 60_000 : requestedMs)));
}
