/** Sends random requests to both services and checks every response. */
import { problemSchema } from '@portal/contract/problem';
import { needsSession, usualBodyBytes } from '@portal/contract/rules';
import fc from 'fast-check';
import { arbitraryRequest, type FuzzRequest } from './fuzz-requests.ts';

/** The services under test. */
export interface FuzzTarget {
  readonly serverUrl: string;
  /** The session cookie of a user. */
  readonly cookie: string;
  readonly syncUrl: string;
  readonly syncToken: string;
  /** Names and ids that exist, such as the ids of apps. */
  readonly known: readonly string[];
}

export interface FuzzRun {
  readonly seed: number;
  readonly requests: number;
}

const maxProblemBytes = 16 * 1024;
const maxQuotedChars = 300;

export interface FuzzResult {
  /** How often each status was returned. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The requests in the order in which they were sent, one at a time; epoch milliseconds. */
  readonly sent: readonly { readonly atMs: number; readonly description: string }[];
}

/** Throws with the request that got a wrong response. */
export async function fuzz(target: FuzzTarget, { seed, requests }: FuzzRun): Promise<FuzzResult> {
  const statuses = new Map<number, number>();
  const sent: FuzzResult['sent'][number][] = [];
  const property = fc.asyncProperty(arbitraryRequest(target.known), async (request) => {
    sent.push({ atMs: Date.now(), description: describe(request) });
    const response = await send(target, request).catch((error: unknown) => {
      if (isRefusedWhileSent(request, error)) return undefined;
      throw error;
    });
    if (response === undefined) return;
    const { status, text } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const fault = findFault(request, status, text);
    if (fault !== undefined)
      throw new Error(`${fault}\n${describe(request)}\nresponse: ${text.slice(0, maxQuotedChars)}`);
  });
  const outcome = await fc.check(property, { seed, numRuns: requests, endOnFailure: true });
  if (outcome.failed) throw new Error(`SEED=${seed}, request ${sent.length}`, { cause: outcome.errorInstance });
  return { statuses, sent };
}

/** A service may close the connection instead of reading a body that is too large. */
function isRefusedWhileSent({ body = '' }: FuzzRequest, error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return body.length > usualBodyBytes && ['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code);
}

async function send(target: FuzzTarget, { service, caller, endpoint, path, body }: FuzzRequest) {
  const url = service === 'server' ? target.serverUrl : target.syncUrl;
  const response = await fetch(url + path, {
    method: endpoint.method,
    headers: {
      ...(service === 'server' ? toServerHeaders(target, caller) : toSyncHeaders(target, caller)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}

function toServerHeaders({ cookie }: FuzzTarget, caller: FuzzRequest['caller']): Record<string, string> {
  if (caller === 'stranger') return {};
  return caller === 'user' ? { cookie } : { authorization: `Basic ${btoa('demo:demo')}` };
}

function toSyncHeaders({ syncToken }: FuzzTarget, caller: FuzzRequest['caller']): Record<string, string> {
  const names = { 'x-portal-user': 'demo', 'x-portal-environment': 'Production' };
  return caller === 'stranger' ? names : { ...names, authorization: `Bearer ${syncToken}` };
}

/** Returns what is wrong with a response, if anything. */
function findFault({ service, caller, endpoint }: FuzzRequest, status: number, text: string): string | undefined {
  if (status === 500) return 'The service has a bug.';
  if (status < 400) {
    const isAllowed = caller !== 'stranger' || (service === 'server' && !needsSession(endpoint.may));
    return isAllowed ? undefined : 'A stranger was let in.';
  }
  if (Buffer.byteLength(text) > maxProblemBytes) return `The response to a bad request has ${text.length} characters.`;
  return problemSchema.safeParse(parseJson(text)).success ? undefined : 'The response is not a problem.';
}

function describe({ service, caller, endpoint, path, body }: FuzzRequest): string {
  const start = body === undefined ? '' : `${body.length} characters: ${body.slice(0, maxQuotedChars)}`;
  return `${caller} to ${service}: ${endpoint.method} ${path.slice(0, maxQuotedChars)} ${start}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
