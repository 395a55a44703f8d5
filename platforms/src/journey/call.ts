/**
 * One HTTP call to a deployment. Whatever is not the expected answer becomes a `JourneyProblem`,
 * whose sentence names host, path and status, never credentials. Connections are kept alive and
 * shared.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Agent, request } from 'undici';
import { describeConnectionFailure } from '../connection-failure.ts';
import { JourneyProblem } from './journey-problem.ts';
import { isWebPage, problemOfStatus } from './problem-of-status.ts';

export type SendRequest = (...asked: Parameters<typeof request>) => ReturnType<typeof request>;

/**
 * Not `fetch`: an integration at rest does little else than ask, and `fetch` takes twice the
 * processor time for it.
 */
export const sendRequest: SendRequest = (url, options) => request(url, { dispatcher: connections, ...options });
const connections = new Agent();

/** Whatever their headers say of it. */
const withoutBody: ReadonlySet<number> = new Set([204, 304]);

export interface JourneyAddress {
  /** With the deployment's id and a slash at its end. */
  readonly baseUrl: string;
  /** The header's whole value. */
  readonly authorization: string;
  /** For the whole answer, not its first byte. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly request: SendRequest;
}

export interface JourneyCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, or a whole address of its host. */
  readonly path: string;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly ifNoneMatch?: string | undefined;
  /** Any content is taken, and a redirect answered instead of being a problem. */
  readonly isForFile?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface JourneyAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Throws the caller's own reason when `signal` ends the call, otherwise a `JourneyProblem`. */
export async function callJourney(address: JourneyAddress, call: JourneyCall): Promise<JourneyAnswer> {
  call.signal?.throwIfAborted();
  // Not `AbortSignal.any`: in Node 20 a signal that lives long keeps a trace of every call it was
  // ever part of.
  const end = new AbortController();
  const giveUp = () => end.abort();
  call.signal?.addEventListener('abort', giveUp, { once: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    end.abort();
  }, address.timeoutMs);
  try {
    const response = await address.request(urlOf(address, call), requestOf(address, call, end.signal));
    const { statusCode: status, body } = response;
    const headers = headersOf(response.headers);
    const isPacked = headers.get('content-encoding') === 'gzip' && !withoutBody.has(status);
    const answer = { status, headers, bytes: await bytesOf(address, call, isPacked ? unpack(body) : body) };
    if (!isWelcome(call, answer)) throw problemOfStatus(nameOf(address), nameOfCall(call), answer, isWrite(call));
    return answer;
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    if (timedOut) throw timeOut(address, call);
    if (error instanceof JourneyProblem) throw error;
    throw connectionProblem(address, call, error);
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', giveUp);
  }
}

function urlOf({ baseUrl }: JourneyAddress, { path, query = {} }: JourneyCall): string {
  const url = new URL(path, baseUrl);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url.href;
}

function requestOf({ authorization }: JourneyAddress, call: JourneyCall, signal: AbortSignal) {
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    authorization,
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(call.ifNoneMatch !== undefined && { 'if-none-match': call.ifNoneMatch }),
  };
  const body = call.body === undefined ? null : JSON.stringify(call.body);
  return { method: call.method, headers, body, signal };
}

function headersOf(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received)) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
}

async function bytesOf(address: JourneyAddress, call: JourneyCall, body: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop ends the connection: what is left is never read.
    if (bytes > address.maxAnswerBytes) {
      throw new JourneyProblem(
        `${nameOf(address)} answered ${nameOfCall(call)} with more than ${address.maxAnswerBytes} bytes.`,
        { kind: 'too-large', what: 'answer' },
        { isWrite: isWrite(call) },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whoever reads it is told what goes wrong, and ends all of it by leaving. */
function unpack(body: Readable): Readable {
  return pipeline(body, createGunzip(), () => undefined);
}

function isWelcome(call: JourneyCall, { status, headers, bytes }: JourneyAnswer): boolean {
  if (status === 304) return call.ifNoneMatch !== undefined;
  if (call.isForFile) return status >= 200 && status <= 399;
  return status >= 200 && status <= 299 && !isWebPage(headers, bytes);
}

function timeOut(address: JourneyAddress, call: JourneyCall): JourneyProblem {
  return new JourneyProblem(
    `${nameOf(address)} did not answer ${nameOfCall(call)} within ${address.timeoutMs / 1000} s.`,
    { kind: 'no-answer', timedOut: true },
    { isWrite: isWrite(call) },
  );
}

function connectionProblem(address: JourneyAddress, call: JourneyCall, cause: unknown): JourneyProblem {
  if (wasNeverSent(cause)) {
    return new JourneyProblem(
      `${nameOf(address)} cannot be reached: ${describeConnectionFailure(cause)}.`,
      { kind: 'unreachable' },
      { cause },
    );
  }
  return new JourneyProblem(
    `${nameOf(address)} broke off before its answer to ${nameOfCall(call)} was whole: ${describeConnectionFailure(cause)}.`,
    { kind: 'no-answer', timedOut: false },
    { cause, isWrite: isWrite(call) },
  );
}

/** Only what is known to fail before the first byte; when in doubt, it was sent. */
function wasNeverSent(problem: unknown): boolean {
  for (let error = problem; error instanceof Error; error = error.cause) {
    if (error instanceof AggregateError) return error.errors.every(wasNeverSent);
    if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')) return true;
    const code = 'code' in error ? String(error.code) : '';
    if (/^(UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)) return true;
  }
  return false;
}

/** A query is sent by POST and changes nothing. */
export function isWrite({ method, path }: JourneyCall): boolean {
  return method !== 'GET' && !path.endsWith('/query.json');
}

export function nameOf({ baseUrl }: Pick<JourneyAddress, 'baseUrl'>): string {
  return `Journey ${new URL(baseUrl).host}`;
}

/** Without the query, which may hold what people have typed. */
export function nameOfCall({ method, path }: JourneyCall): string {
  return `${method} ${path.replace(/[?#].*$/, '')}`;
}
