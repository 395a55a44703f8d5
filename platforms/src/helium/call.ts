/**
 * One HTTP call to the platform, and every way it can go wrong told apart. Whatever is not the
 * expected answer becomes a problem with a sentence for people, which names address, path and
 * status, never credentials.
 */
import { Conflict, Invalid, NotFound, NotSignedIn, Problem, Refused, Unreachable } from '@portal/kit/problems';
import type { z } from 'zod';
import { describeConnectionFailure } from '../connection-failure.ts';

export interface HeliumCredentials {
  readonly userName: string;
  readonly password: string;
}

export interface HeliumAddress {
  readonly baseUrl: string;
  /** For the whole answer, not its first byte. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

export interface Call {
  readonly path: string;
  readonly credentials: HeliumCredentials;
  readonly signal?: AbortSignal | undefined;
  /** Sent as JSON by POST; without it the call is a GET. */
  readonly body?: unknown;
}

export async function callForJson<Shape extends z.ZodType>(
  address: HeliumAddress,
  call: Call,
  shape: Shape,
): Promise<z.output<Shape>> {
  const text = await callForText(address, call);
  const parsed = shape.safeParse(jsonOf(address, call, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Unreachable(
    `${nameOf(address)} answered something unexpected to ${nameOfCall(call)}: ${issue?.path.join('.') || 'answer'}: ${issue?.message ?? 'unknown shape'}.`,
  );
}

/**
 * Throws the caller's own reason when `signal` ends the call, otherwise one of the kit's problems.
 */
export async function callForText(address: HeliumAddress, call: Call): Promise<string> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), address.timeoutMs);
  try {
    call.signal?.throwIfAborted();
    const signal = call.signal ? AbortSignal.any([call.signal, timeout.signal]) : timeout.signal;
    const response = await fetch(address.baseUrl.replace(/\/+$/, '') + call.path, requestOf(call, signal));
    const text = await bodyOf(address, call, response);
    if (response.status < 200 || response.status > 299) throw problemOf(address, call, response, text);
    if (isHtml(response, text)) {
      throw new Unreachable(
        `${nameOf(address)} answered ${nameOfCall(call)} with a web page (status ${response.status}) instead of data.`,
      );
    }
    return text;
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    if (timeout.signal.aborted) {
      const within = `${address.timeoutMs / 1000} s`;
      throw new Unreachable(`${nameOf(address)} did not answer ${nameOfCall(call)} within ${within}.`, {
        timedOut: true,
      });
    }
    if (error instanceof Problem) throw error;
    throw new Unreachable(`${nameOf(address)} cannot be reached: ${describeConnectionFailure(error)}.`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

function requestOf({ credentials, body }: Call, signal: AbortSignal): RequestInit {
  const headers = { accept: 'application/json, text/plain', authorization: authorizationOf(credentials) };
  const common = { redirect: 'manual', signal } as const;
  if (body === undefined) return { ...common, headers };
  return {
    ...common,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** HTTP Basic has no way to write a user name with a colon, so no such user exists. */
export function authorizationOf({ userName, password }: HeliumCredentials): string {
  if (userName.includes(':')) throw wrongCredentials();
  return `Basic ${Buffer.from(`${userName}:${password}`, 'utf8').toString('base64')}`;
}

async function bodyOf(address: HeliumAddress, call: Call, response: Response): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > address.maxAnswerBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new Unreachable(
      `${nameOf(address)} broke off in the middle of its answer to ${nameOfCall(call)} (status ${response.status}).`,
      {
        cause: error,
      },
    );
  }
  if (bytes > address.maxAnswerBytes) {
    throw new Unreachable(
      `${nameOf(address)} answered ${nameOfCall(call)} with more than ${address.maxAnswerBytes} bytes.`,
    );
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(address: HeliumAddress, call: Call, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreachable(`${nameOf(address)} answered ${nameOfCall(call)} with something that is not JSON.`);
  }
}

function problemOf(address: HeliumAddress, call: Call, response: Response, text: string): Problem {
  const said = isHtml(response, text) ? '' : text.trim().slice(0, 500);
  return problemOfStatus(address, nameOfCall(call), response.status, said);
}

/**
 * What a status other than success means, with the platform's own words where they are for people.
 */
export function problemOfStatus(address: HeliumAddress, what: string, status: number, said = ''): Problem {
  switch (status) {
    case 400:
    case 422:
      return new Invalid(said || `${nameOf(address)} does not understand ${what}.`);
    case 401:
      return wrongCredentials();
    case 403:
      return new Refused(said || `${nameOf(address)} does not allow ${what} to these credentials.`);
    case 404:
      return new NotFound(said || `${nameOf(address)} knows nothing of ${what}.`);
    case 409:
      return new Conflict(said || `${nameOf(address)} refuses ${what} as things are now.`);
    default:
      return new Unreachable(`${nameOf(address)} answered ${what} with status ${status}.`);
  }
}

function wrongCredentials(): NotSignedIn {
  return new NotSignedIn('The Helium platform does not accept this username and password.');
}

export function nameOf({ baseUrl }: Pick<HeliumAddress, 'baseUrl'>): string {
  return `The Helium platform ${new URL(baseUrl).host}`;
}

function nameOfCall({ path, body }: Call): string {
  return `${body === undefined ? 'GET' : 'POST'} ${path}`;
}

function isHtml(response: Response, text: string): boolean {
  return (response.headers.get('content-type') ?? '').includes('html') || /^\s*<(!doctype|html)/i.test(text);
}
