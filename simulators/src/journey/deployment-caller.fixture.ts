import type { DeploymentHandle } from './deployment-handle.ts';

interface CallResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed if it is JSON. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export type Caller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<CallResult>;

/** Makes plain HTTP calls, to test what any client would see. */
export function createCaller({ url, userName, password }: DeploymentHandle): Caller {
  return async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string';
    const response = await fetch(`${url}/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Basic ${btoa(`${userName}:${password}`)}`,
        ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
  };
}
