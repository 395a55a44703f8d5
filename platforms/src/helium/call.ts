/**
 * Makes one HTTP call to the platform. Any unexpected response becomes a problem whose message
 * names address, path, and status, but never credentials.
 */
import { Conflict, Invalid, NotFound, NotSignedIn, Problem, Refused, Unreachable } from '@portal/kit/problems';
import { describeConnectionFailure, isNotConnected } from '../connection-failure.ts';
import type { Reachability } from '../reachability.ts';
import type { Method } from './dialect/dialect.config.ts';
import { UnreadableResponse } from './dialect/fields.ts';
import { heliumPaths } from './wire.ts';

export interface HeliumCredentials {
  readonly userName: string;
  readonly password: string;
}

export interface HeliumAddress {
  readonly baseUrl: string;
  /** The limit for the whole response, not its first byte. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Shared by all calls to the address. */
  readonly reachability: Reachability;
}

export interface Call {
  readonly path: string;
  readonly credentials: HeliumCredentials;
  readonly signal?: AbortSignal | undefined;
  /** Default: GET. */
  readonly method?: Method;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** @param read Throws UnreadableResponse when the response is not as described. */
export async function callForJson<Result>(
  address: HeliumAddress,
  call: Call,
  read: (document: unknown) => Result,
): Promise<Result> {
  const document = parseJson(address, call, await callForText(address, call));
  try {
    return read(document);
  } catch (error) {
    if (!(error instanceof UnreadableResponse)) throw error;
    throw new Unreachable(
      `${getPlatformName(address)} returned an unexpected response to ${getCallName(call)}: ${error.message}.`,
    );
  }
}

/**
 * Throws the signal's reason when `signal` aborts the call, otherwise one of the kit's problems.
 * While the platform is silent, that is Silent, at once.
 */
export async function callForText(address: HeliumAddress, call: Call): Promise<string> {
  const { reachability } = address;
  reachability.requireAnswering();
  const startedAt = performance.now();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), address.timeoutMs);
  try {
    call.signal?.throwIfAborted();
    const signal = call.signal ? AbortSignal.any([call.signal, timeout.signal]) : timeout.signal;
    const response = await fetch(toUrl(address, call.path), toRequestInit(call, signal));
    reachability.noteAnswer();
    const text = await readBody(address, call, response);
    if (response.status < 200 || response.status > 299) throw toProblem(address, call, response, text);
    if (isHtml(response, text)) {
      throw new Unreachable(
        `${getPlatformName(address)} responded to ${getCallName(call)} with a web page (status ${response.status}) instead of data.`,
      );
    }
    return text;
  } catch (error) {
    if (call.signal?.aborted) {
      reachability.noteAbandoned(startedAt);
      throw call.signal.reason;
    }
    if (timeout.signal.aborted || isNotConnected(error)) reachability.noteSilence(startedAt);
    if (timeout.signal.aborted) {
      const within = `${address.timeoutMs / 1000} s`;
      throw new Unreachable(`${getPlatformName(address)} did not respond to ${getCallName(call)} within ${within}.`, {
        timedOut: true,
      });
    }
    if (error instanceof Problem) throw error;
    throw new Unreachable(`${getPlatformName(address)} cannot be reached: ${describeConnectionFailure(error)}.`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls the platform without credentials. Rejects only if there is no answer: most likely it is a
 * refusal.
 */
export async function probe({ baseUrl, timeoutMs }: Pick<HeliumAddress, 'baseUrl' | 'timeoutMs'>): Promise<void> {
  const init = { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const;
  try {
    const response = await fetch(toUrl({ baseUrl }, heliumPaths.serviceConfig), init);
    await response.body?.cancel();
  } catch (error) {
    if (init.signal.aborted || isNotConnected(error)) throw error;
  }
}

function toUrl({ baseUrl }: Pick<HeliumAddress, 'baseUrl'>, path: string): string {
  return baseUrl.replace(/\/+$/, '') + path;
}

function toRequestInit({ credentials, method = 'GET', body }: Call, signal: AbortSignal): RequestInit {
  const headers = { accept: 'application/json, text/plain', authorization: toAuthorization(credentials) };
  const common = { method, redirect: 'manual', signal } as const;
  if (body === undefined) return { ...common, headers };
  return {
    ...common,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** HTTP Basic cannot encode a user name with a colon, so no such user exists. */
export function toAuthorization({ userName, password }: HeliumCredentials): string {
  if (userName.includes(':')) throw wrongCredentials();
  return `Basic ${Buffer.from(`${userName}:${password}`, 'utf8').toString('base64')}`;
}

async function readBody(address: HeliumAddress, call: Call, response: Response): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > address.maxResponseBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new Unreachable(
      `${getPlatformName(address)} closed the connection during its response to ${getCallName(call)} (status ${response.status}).`,
      {
        cause: error,
      },
    );
  }
  if (bytes > address.maxResponseBytes) {
    throw new Unreachable(
      `${getPlatformName(address)} responded to ${getCallName(call)} with more than ${address.maxResponseBytes} bytes.`,
    );
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(address: HeliumAddress, call: Call, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreachable(
      `${getPlatformName(address)} responded to ${getCallName(call)} with something that is not JSON.`,
    );
  }
}

function toProblem(address: HeliumAddress, call: Call, response: Response, text: string): Problem {
  const platformMessage = isHtml(response, text) ? '' : text.trim().slice(0, 500);
  return toStatusProblem(address, getCallName(call), response.status, platformMessage);
}

/** Translates an error status into a problem, with the platform's own message if it is readable. */
export function toStatusProblem(address: HeliumAddress, call: string, status: number, platformMessage = ''): Problem {
  switch (status) {
    case 400:
    case 422:
      return new Invalid(platformMessage || `${getPlatformName(address)} rejects ${call} as invalid.`);
    case 401:
      return wrongCredentials();
    case 403:
      return new Refused(
        platformMessage || `${getPlatformName(address)} does not allow ${call} with these credentials.`,
      );
    case 404:
      return new NotFound(platformMessage || `${getPlatformName(address)} does not know ${call}.`);
    case 409:
      return new Conflict(platformMessage || `${getPlatformName(address)} refuses ${call} in its current state.`);
    default:
      return new Unreachable(`${getPlatformName(address)} responded to ${call} with status ${status}.`);
  }
}

function wrongCredentials(): NotSignedIn {
  return new NotSignedIn('The Helium platform does not accept this username and password.');
}

export function getPlatformName({ baseUrl }: Pick<HeliumAddress, 'baseUrl'>): string {
  return `The Helium platform ${new URL(baseUrl).host}`;
}

function getCallName({ path, method = 'GET' }: Call): string {
  return `${method} ${path}`;
}

function isHtml(response: Response, text: string): boolean {
  return (response.headers.get('content-type') ?? '').includes('html') || /^\s*<(!doctype|html)/i.test(text);
}
