import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { problemSchema } from '@portal/contract/problem';
import { CallProblem } from './call-problem.ts';
import { connection } from './connection.ts';

export interface CallOptions {
  /** Ask past what the server has in memory: it then asks the platform anew. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Values for the `:name` parts of the path. */
  readonly params?: Readonly<Record<string, string | number>>;
}

const sessionEndListeners = new Set<() => void>();

/** Tells whoever keeps the session that the server no longer knows it. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEndListeners.add(listener);
  return () => sessionEndListeners.delete(listener);
}

/** For sockets, which learn by a close code that the session is over. */
export function announceSessionEnd(): void {
  for (const listener of sessionEndListeners) listener();
}

/**
 * Calls an endpoint of the contract and gives its validated answer (a string for text endpoints).
 * Throws a CallProblem for every failure, and the signal's AbortError when it was cancelled.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  payload: RequestOf<E>,
  options: CallOptions = {},
): Promise<ResponseOf<E>> {
  const response = await send(endpoint, payload, options);
  connection.alive();
  const text = await readText(response, options.signal);
  if (!response.ok) {
    const problem = problemOf(response, text);
    if (problem.status === 401 && endpoint.access === 'session') announceSessionEnd();
    throw problem;
  }
  // The two branches below are what AnswerOf says; TypeScript cannot follow a conditional type into
  // them.
  if (endpoint.response === 'text') return text as ResponseOf<E>;
  const answer = endpoint.response.safeParse(parseJson(text));
  if (answer.success) return answer.data as ResponseOf<E>;
  throw new CallProblem({
    status: response.status,
    statusText: response.statusText,
    message: 'The portal answered something this page does not understand. Reload the page to get its newest version.',
    kind: 'bad-answer',
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

async function send(endpoint: Endpoint, payload: unknown, { signal, params, fresh }: CallOptions): Promise<Response> {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params?.[name] ?? '')));
  const inQuery = endpoint.method === 'GET';
  const hasBody = !inQuery && endpoint.request !== null;
  try {
    return await fetch(inQuery ? path + queryOf(payload) : path, {
      method: endpoint.method,
      credentials: 'same-origin',
      signal: signal ?? null,
      cache: fresh ? 'reload' : 'default',
      headers: { accept: 'application/json, text/plain', ...(hasBody && { 'content-type': 'application/json' }) },
      ...(hasBody && { body: JSON.stringify(payload ?? {}) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw noAnswer();
  }
}

async function readText(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw noAnswer();
  }
}

function noAnswer(): CallProblem {
  connection.lost();
  return new CallProblem({
    status: 0,
    statusText: 'No answer',
    message: 'The portal did not answer. Check your connection; nothing was changed on the page.',
    kind: 'no-answer',
  });
}

/**
 * Turns an answer that is no success into a problem, whoever wrote it: the portal, or a proxy
 * before it.
 */
export function problemOf(response: Pick<Response, 'status' | 'statusText' | 'headers'>, text: string): CallProblem {
  const body = parseJson(text);
  const known = problemSchema.safeParse(body);
  const { status } = response;
  const statusText = response.statusText || statusTexts[status] || 'Error';
  if (known.success) return new CallProblem({ ...known.data, status, statusText, body });
  return new CallProblem({
    status,
    statusText,
    message: `${statusText} (${status})`,
    kind: 'http',
    requestId: response.headers.get('x-request-id') ?? undefined,
    body: body ?? text,
  });
}

/** HTTP/2 carries no status text; these are the ones people meet. */
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

/** The query of a GET: what is undefined is left out. */
export function queryOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return '';
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(payload)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
