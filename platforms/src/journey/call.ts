/**
 * Makes one HTTP call to a deployment. Any unexpected response becomes a `JourneyProblem` whose
 * message names host, path, and status, but never credentials. Connections are kept alive and
 * shared.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { request } from 'undici';
import { describeConnectionFailure, isRefusedByProxy } from '../connection-failure.ts';
import { createOutgoingDispatcher } from '../outgoing/dispatcher.ts';
import { listSecrets } from './authorization.ts';
import { JourneyProblem } from './journey-problem.ts';
import type { WatchSilence } from './silent-calls.ts';
import { isWebPage, toStatusProblem } from './status-problem.ts';

export type SendRequest = (...parameters: Parameters<typeof request>) => ReturnType<typeof request>;

/**
 * Uses undici's `request` because `fetch` takes twice the CPU time, and idle integrations poll
 * constantly.
 */
export const sendRequest: SendRequest = (url, options) => request(url, { dispatcher: connections, ...options });
/** An idle connection may have died without a sign, so none is kept for long. */
const connections = createOutgoingDispatcher({ keepAliveMaxTimeout: 10_000 });

/** Called when a call starts. The function it returns is called when the call ends. */
export type OnCall = () => () => void;

/** Statuses without a body, whatever the headers claim. */
const bodylessStatuses: ReadonlySet<number> = new Set([204, 304]);

export interface JourneyAddress {
  /** Ends with the deployment's id and a slash. */
  readonly baseUrl: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
  /**
   * The limit for the whole response, not its first byte; of a file, for the time in which a
   * kilobyte per second must arrive.
   */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly request: SendRequest;
  readonly onCall: OnCall;
  readonly watchSilence: WatchSilence;
}

export interface JourneyCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, or an absolute address on its host. */
  readonly path: string;
  /** Undefined parameters are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly ifNoneMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A shorter limit than the usual one. */
  readonly maxMs?: number;
}

export interface JourneyResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Throws the signal's reason when `signal` aborts the call, otherwise a `JourneyProblem`. */
export async function callJourney(address: JourneyAddress, call: JourneyCall): Promise<JourneyResponse> {
  call.signal?.throwIfAborted();
  // Not `AbortSignal.any`: in Node 20, a long-lived signal retains memory for every call it was
  // part of.
  const end = new AbortController();
  const giveUp = () => end.abort();
  call.signal?.addEventListener('abort', giveUp, { once: true });
  const onEnd = address.onCall();
  let timedOut = false;
  let isLost = false;
  let isAnswered = false;
  const onWatchEnd = address.watchSilence(() => {
    isLost = true;
    end.abort();
  });
  const timer = setTimeout(() => {
    timedOut = true;
    end.abort();
  }, call.maxMs ?? address.timeoutMs);
  try {
    const rawResponse = await address.request(toUrl(address, call), toRequestOptions(address, call, end.signal));
    const { statusCode: status, body } = rawResponse;
    isAnswered = true;
    const headers = toHeaders(rawResponse.headers);
    const isCompressed = headers.get('content-encoding') === 'gzip' && !bodylessStatuses.has(status);
    const response = { status, headers, bytes: await readBytes(address, call, isCompressed ? decompress(body) : body) };
    if (!isExpected(call, response))
      throw toStatusProblem({ ...describeCall(address, call), secrets: listSecrets(address.authorization) }, response);
    return response;
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    if (timedOut) throw createTimeoutProblem(address, call);
    if (isLost) throw createLostProblem(address, call);
    if (error instanceof JourneyProblem) throw error;
    throw createConnectionProblem(address, call, error);
  } finally {
    onEnd();
    onWatchEnd(isAnswered);
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', giveUp);
  }
}

function toUrl({ baseUrl }: JourneyAddress, { path, query = {} }: JourneyCall): string {
  const url = new URL(path, baseUrl);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url.href;
}

function toRequestOptions({ authorization }: JourneyAddress, call: JourneyCall, signal: AbortSignal) {
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

function toHeaders(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received)) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
}

async function readBytes(address: JourneyAddress, call: JourneyCall, body: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection; the rest is never read.
    if (bytes > address.maxResponseBytes) {
      throw new JourneyProblem(
        `${getHostName(address)} responded to ${getCallName(call)} with more than ${address.maxResponseBytes} bytes.`,
        { kind: 'too-large', what: 'response' },
        { isWrite: isWrite(call) },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The reader receives all errors and stops everything by leaving its loop. */
function decompress(body: Readable): Readable {
  return pipeline(body, createGunzip(), () => undefined);
}

function isExpected(call: JourneyCall, { status, headers, bytes }: JourneyResponse): boolean {
  if (status === 304) return call.ifNoneMatch !== undefined;
  return status >= 200 && status <= 299 && !isWebPage(headers, bytes);
}

function createTimeoutProblem(address: JourneyAddress, call: JourneyCall): JourneyProblem {
  return new JourneyProblem(
    `${getHostName(address)} did not respond to ${getCallName(call)} within ${(call.maxMs ?? address.timeoutMs) / 1000} s.`,
    { kind: 'no-response', timedOut: true },
    { isWrite: isWrite(call) },
  );
}

function createLostProblem(address: JourneyAddress, call: JourneyCall): JourneyProblem {
  return new JourneyProblem(
    `${getHostName(address)} did not respond to ${getCallName(call)}, and responds to new calls again.`,
    { kind: 'no-response', timedOut: true },
    { isWrite: isWrite(call) },
  );
}

/** Returns whether a new connection gets any response within this time. */
export async function probeHost(
  { baseUrl, authorization }: Pick<JourneyAddress, 'baseUrl' | 'authorization'>,
  path: string,
  maxMs: number,
): Promise<boolean> {
  const dispatcher = createOutgoingDispatcher();
  try {
    const signal = AbortSignal.timeout(maxMs);
    const { body } = await request(new URL(path, baseUrl).href, { dispatcher, headers: { authorization }, signal });
    await body.dump();
    return true;
  } catch {
    return false;
  } finally {
    void dispatcher.destroy();
  }
}

function createConnectionProblem(address: JourneyAddress, call: JourneyCall, cause: unknown): JourneyProblem {
  if (wasNeverSent(cause)) {
    return new JourneyProblem(
      `${getHostName(address)} cannot be reached: ${describeConnectionFailure(cause)}.`,
      { kind: 'unreachable' },
      { cause },
    );
  }
  return new JourneyProblem(
    `${getHostName(address)} closed the connection during its response to ${getCallName(call)}: ${describeConnectionFailure(cause)}.`,
    { kind: 'no-response', timedOut: false },
    { cause, isWrite: isWrite(call) },
  );
}

/** Whether the call certainly failed before the first byte was sent. When in doubt, it was sent. */
function wasNeverSent(problem: unknown): boolean {
  for (let error = problem; error instanceof Error; error = error.cause) {
    if (error instanceof AggregateError) return error.errors.every(wasNeverSent);
    if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')) return true;
    if (isRefusedByProxy(error)) return true;
    const code = 'code' in error ? String(error.code) : '';
    if (/^(UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)) return true;
  }
  return false;
}

/** Whether the call changes something; queries use POST but do not. */
export function isWrite({ method, path }: JourneyCall): boolean {
  return method !== 'GET' && !path.endsWith('/query.json');
}

export function getHostName({ baseUrl }: Pick<JourneyAddress, 'baseUrl'>): string {
  return `Journey ${new URL(baseUrl).host}`;
}

function describeCall(address: JourneyAddress, call: JourneyCall) {
  return { name: getHostName(address), call: getCallName(call), isWrite: isWrite(call) };
}

/** Returns the call without its query, which may contain user input. */
export function getCallName({ method, path }: JourneyCall): string {
  return `${method} ${path.replace(/[?#].*$/, '')}`;
}
