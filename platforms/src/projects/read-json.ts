import { Problem, Unreachable } from '@portal/kit/problems';
import type { z } from 'zod';
import { describeConnectionFailure } from '../connection-failure.ts';
import { fetchWithRedirects } from '../follow-redirects.ts';

export interface JiraAddress {
  /** With or without a path, such as `https://jira.example.com/jira`. */
  readonly baseUrl: string;
  readonly flavor: 'cloud' | 'server';
  /** The value of the `Authorization` header. */
  readonly authorization: string;
  /** The limit for the whole response, not its first byte. */
  readonly timeoutMs: number;
}

/** Jira asked the portal to pause. */
export class JiraBusy extends Unreachable {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const maxResponseBytes = 16 * 1024 * 1024;
const defaultRetrySeconds = 60;
const maxRetrySeconds = 3_600;

/** Throws Unreachable for any unexpected response. The message names neither user nor token. */
export async function readJson<T>(address: JiraAddress, path: string, shape: z.ZodType<T>): Promise<T> {
  const name = `Jira ${new URL(address.baseUrl).host}`;
  const signal = AbortSignal.timeout(address.timeoutMs);
  try {
    const { response, refusedHost } = await fetchWithRedirects(address.baseUrl.replace(/\/+$/, '') + path, {
      headers: { accept: 'application/json', authorization: address.authorization },
      signal,
    });
    if (response.status !== 200 || isAnonymous(response)) {
      await response.body?.cancel();
      if (refusedHost !== null) throw toRedirectProblem(name, response, refusedHost);
      throw toProblem(name, response, address);
    }
    return parse(name, await readText(name, response), shape);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (signal.aborted)
      throw new Unreachable(`${name} did not respond within ${Math.ceil(address.timeoutMs) / 1000} s.`, {
        timedOut: true,
      });
    throw new Unreachable(`${name} cannot be reached: ${describeConnectionFailure(error)}.`, { cause: error });
  }
}

/**
 * Whether Jira treated the request as anonymous. For an invalid token, Jira may return public data
 * and report the problem only in a header.
 */
function isAnonymous({ headers }: Response): boolean {
  const isNamed = (headers.get('x-ausername') ?? '').toLowerCase() !== 'anonymous';
  return !isNamed || /FAILED|DENIED|OUT/.test(headers.get('x-seraph-loginreason') ?? '');
}

function toRedirectProblem(name: string, { status }: Response, host: string): Unreachable {
  return new Unreachable(
    `${name} redirects to ${host} (status ${status}), which the portal does not follow. Set the address of Jira to where it is.`,
  );
}

function toProblem(name: string, response: Response, { flavor, baseUrl }: JiraAddress): Unreachable {
  const { status, headers } = response;
  if (status === 429 || (status === 503 && headers.has('retry-after'))) {
    const seconds = parseRetryAfter(response);
    const reason = status === 429 ? 'received too many calls and' : 'is unavailable and';
    return new JiraBusy(`${name} ${reason} asked for a pause of ${seconds} s.`, seconds);
  }
  if (/CAPTCHA/.test(headers.get('x-authentication-denied-reason') ?? ''))
    return new Unreachable(
      `${name} wants the portal's user to solve a CAPTCHA after failed sign-ins. Sign in to Jira as this user in a browser once, and check the token.`,
    );
  if (status === 401 || isAnonymous(response))
    return new Unreachable(`${name} does not accept the portal's token.${explainToken(flavor, baseUrl)}`);
  if (status === 403) return new Unreachable(`${name} does not allow the portal's token to see the projects.`);
  return new Unreachable(`${name} returned status ${response.status}.`);
}

/** What Jira Cloud answers with the same 401 as a wrong token. */
function explainToken(flavor: JiraAddress['flavor'], baseUrl: string): string {
  if (flavor !== 'cloud') return ' Check whether it has expired.';
  const gateway = 'https://api.atlassian.com/ex/jira/{cloudId}';
  const isGateway = new URL(baseUrl).host === new URL(gateway).host;
  const expiry = ' Tokens of Jira Cloud expire after a year at most.';
  return isGateway ? expiry : `${expiry} A token with scopes needs the address ${gateway}.`;
}

/** Returns seconds; the header may also be a date. */
function parseRetryAfter(response: Response): number {
  const value = response.headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? defaultRetrySeconds : Math.min(Math.max(seconds, 1), maxRetrySeconds);
}

async function readText(name: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Unreachable(`${name} returned more than ${maxResponseBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse<T>(name: string, text: string, shape: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unreachable(`${name} returned something that is not JSON.`);
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Unreachable(
    `${name} returned an unexpected response: ${issue?.path.join('.') || 'response'}: ${issue?.message ?? 'unknown shape'}.`,
  );
}
