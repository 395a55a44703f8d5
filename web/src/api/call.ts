import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { problemSchema } from '@portal/contract/problem';
import { needsSession } from '@portal/contract/rules';
import { reportsUseHeader } from '@portal/contract/session';
import { CallProblem } from './call-problem.ts';
import { changeTimeoutMs, Deadline, mayChange } from './change-deadline.ts';
import { connection } from './connection.ts';
import { validateInParts } from './in-parts.ts';
import { noteServerDate } from './server-clock.ts';
import { recordSkippedEntries } from './skipped-entries.ts';

export interface CallOptions {
  /** Bypasses the server's cache, so that the server calls the platform again. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Receives the headers of a successful response. */
  readonly onHeaders?: (headers: Headers) => void;
  /** Values for the `:name` parts of the path. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** The query of a call with a body. */
  readonly query?: Readonly<Record<string, string>>;
}

const sessionEndListeners = new Set<() => void>();

/** Registers a listener that runs when the server no longer accepts the session. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEndListeners.add(listener);
  return () => sessionEndListeners.delete(listener);
}

/** Ends the session locally. Sockets call it when a close code reports that the session is over. */
export function announceSessionEnd(): void {
  for (const listener of sessionEndListeners) listener();
}

/**
 * Calls an endpoint of the contract and returns its validated response (a string for text
 * endpoints). Throws a CallProblem for every failure, and the signal's AbortError on cancellation.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  payload: RequestOf<E>,
  options: CallOptions = {},
): Promise<ResponseOf<E>> {
  const deadline = new Deadline(endpoint, options.signal);
  const { response, text } = await exchange(endpoint, payload, options, deadline).finally(() => deadline.end());
  connection.markAlive();
  if (!response.ok) {
    const problem = toProblem(response, text);
    if (problem.unavailable !== undefined) connection.markUnavailable(problem.unavailable);
    if (problem.status === 401 && needsSession(endpoint.may)) announceSessionEnd();
    throw problem;
  }
  recordSkippedEntries(endpoint, payload, response.headers);
  options.onHeaders?.(response.headers);
  // Both branches match ResponseOf, but TypeScript cannot narrow a conditional type.
  if (typeof endpoint.response === 'string') return text as ResponseOf<E>;
  const parsed = await validateInParts(endpoint.response, parseJson(text));
  if (parsed.success) return parsed.data as ResponseOf<E>;
  throw new CallProblem({
    status: response.status,
    statusText: response.statusText,
    message: 'The portal sent a response this page does not understand. Reload the page to get the latest version.',
    kind: 'invalid-response',
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

async function exchange(
  endpoint: Endpoint,
  payload: unknown,
  { signal, params, query, fresh }: CallOptions,
  deadline: Deadline,
): Promise<{ readonly response: Response; readonly text: string }> {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params?.[name] ?? '')));
  const isGet = endpoint.method === 'GET';
  const hasBody = !isGet && endpoint.request !== null;
  const sentAtMs = Date.now();
  try {
    const response = await fetch(path + toQueryString(isGet ? payload : query), {
      method: endpoint.method,
      credentials: 'same-origin',
      signal: deadline.signal,
      cache: fresh ? 'reload' : 'default',
      headers: {
        accept: 'application/json, text/plain',
        // Of all calls, so that one that no person caused never counts as use.
        [reportsUseHeader]: '1',
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(payload ?? {}) }),
    });
    noteServerDate(response.headers.get('date'), sentAtMs);
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted) throw error;
    if (!deadline.isOver) connection.markLost();
    throw createUnreachableProblem(endpoint, deadline.isOver);
  }
}

/** Never states that nothing was changed: the lost response may be that of a change. */
function createUnreachableProblem(endpoint: Endpoint, isTimeout: boolean): CallProblem {
  const what = isTimeout
    ? `The portal did not respond within ${changeTimeoutMs / 1_000} s.`
    : 'The portal did not respond. Check your connection.';
  const outcome = mayChange(endpoint) ? ' Outcome unknown: check what is stored before you try again.' : '';
  return new CallProblem({ status: 0, statusText: 'No response', message: what + outcome, kind: 'no-response' });
}

/** Converts an error response from the portal or from a proxy in front of it into a problem. */
export function toProblem(response: Pick<Response, 'status' | 'statusText' | 'headers'>, text: string): CallProblem {
  const body = parseJson(text);
  const known = problemSchema.safeParse(body);
  const { status } = response;
  const statusText = response.statusText || statusTexts[status] || 'Error';
  const retryAfterMs = readRetryAfter(response.headers);
  if (known.success) return new CallProblem({ ...known.data, status, statusText, retryAfterMs, body });
  return new CallProblem({
    status,
    statusText,
    message: `${statusText} (${status})`,
    kind: 'http',
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterMs,
    body: body ?? text,
  });
}

/** The portal sends seconds. The other form, a date, is ignored. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) * 1_000 : undefined;
}

/** HTTP/2 has no status text, so these are the common ones. */
const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the query string of a GET request, without undefined values. */
export function toQueryString(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return '';
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(payload)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
