import { describeConnectionFailure } from '../connection-failure.ts';
import { type HeliumCredentials, toAuthorization } from '../helium/call.ts';

export interface Platform {
  readonly baseUrl: string;
  readonly credentials: HeliumCredentials;
  readonly timeoutMs: number;
}

export interface Answer {
  /** The request line: `GET /helium/api/v2/app`. */
  readonly request: string;
  /** 0 if there is no answer. */
  readonly status: number;
  readonly contentType: string;
  /** The methods that the platform allows here, if it says so. */
  readonly allow: readonly string[];
  readonly text: string;
  /** The response as JSON; undefined if it is none. */
  readonly document: unknown;
  /** Why there is no answer, in words. */
  readonly failure: string | undefined;
}

const maxBytes = 16 * 1024 * 1024;

/** Makes one call and returns whatever comes back. Never throws for what the platform does. */
export async function ask(platform: Platform, method: string, path: string): Promise<Answer> {
  const { baseUrl, credentials, timeoutMs } = platform;
  const request = `${method} ${path}`;
  try {
    const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
      method,
      redirect: 'manual',
      headers: { accept: 'application/json, text/plain', authorization: toAuthorization(credentials) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readStart(response);
    const { status, headers } = response;
    const allow = (headers.get('allow') ?? '').split(',').flatMap((each) => each.trim().toUpperCase() || []);
    const contentType = headers.get('content-type') ?? 'none';
    return { request, status, contentType, allow, text, document: parse(text), failure: undefined };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const failure = isLate ? `no answer within ${timeoutMs / 1000} s` : describeConnectionFailure(error);
    return { request, status: 0, contentType: 'none', allow: [], text: '', document: undefined, failure };
  }
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Returns why there is no JSON to read, in words; undefined if there is. */
export function explainMissingJson(answer: Answer): string | undefined {
  if (answer.failure !== undefined) return answer.failure;
  if (!isSuccess(answer)) return `status ${answer.status}`;
  return answer.document === undefined ? 'the response is not JSON' : undefined;
}
