import { getApps } from '@portal/contract/apps';
import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import type { Problem } from '@portal/contract/problem';

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Parses the body of an error response. */
export function parseProblem({ status, text }: TestResponse): Problem {
  if (status < 400) throw new Error(`expected a problem, but the response was ${status} ${text}`);
  return JSON.parse(text);
}

/** An HTTP client that keeps the session cookie, like a page or script. */
export class TestClient {
  readonly url: string;
  /** Sent with every request; a test adds what it needs, such as `authorization`. */
  readonly headers: Record<string, string> = {};
  #cookie: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** Headers for a socket upgrade: `{ cookie }`, or none if not signed in. */
  get cookieHeaders(): Record<string, string> {
    return this.#cookie === undefined ? {} : { cookie: this.#cookie };
  }

  async send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.cookieHeaders,
        ...this.headers,
        ...headers,
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
    });
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
    if (cookie !== undefined) this.#cookie = cookie.endsWith('=') ? undefined : cookie;
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Sends a typed request to an endpoint of the contract. */
  async attempt<E extends Endpoint>(endpoint: E, input: RequestOf<E>): Promise<TestResponse> {
    if (endpoint.method === 'GET') return this.send('GET', endpoint.path + toQuery(input));
    return this.send(endpoint.method, endpoint.path, input === undefined ? undefined : JSON.stringify(input));
  }

  /** Like `attempt`, but returns the typed response and throws unless the call succeeds. */
  async call<E extends Endpoint>(endpoint: E, input: RequestOf<E>): Promise<ResponseOf<E>> {
    const { status, text } = await this.attempt(endpoint, input);
    if (status !== 200) throw new Error(`${endpoint.path} returned ${status} ${text}`);
    const response: unknown = typeof endpoint.response === 'string' ? text : JSON.parse(text);
    return response as ResponseOf<E>;
  }

  async signIn(userName: string, password: string, baseUrl: string): Promise<this> {
    await this.call(getApps, { credentials: { userName, password }, baseUrl });
    return this;
  }
}

function toQuery(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) if (value !== undefined) query.set(name, String(value));
  return `?${query}`;
}
