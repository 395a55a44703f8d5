import type * as z from 'zod/mini';

/** The largest body, in bytes, that most endpoints accept, and all that need no session. */
export const usualBodyBytes = 16 * 1024;

type ResponseKind = z.ZodMiniType | 'text' | 'bytes';

/**
 * The definition of an endpoint as data. Server and page both derive from it: the same schemas
 * validate at run time on both sides, type the handler and the caller, and generate OpenAPI.
 *
 * - `path` uses `:name` for parameters; the server ignores trailing slashes on every path.
 * - `request` is the JSON body of a POST, PUT or DELETE, or the query of a GET; `null` if there is
 * none.
 * - `response` is the JSON response, `'text'` where the specification says "server text", or
 *   `'bytes'` for the content of a file, which a browser saves and never shows.
 * - `access: 'open'` needs no session.
 * - `maxBodyBytes` is the largest accepted body if it differs from `usualBodyBytes`.
 */
export interface Endpoint<
  RequestSchema extends z.ZodMiniType | null = z.ZodMiniType | null,
  ResponseSchema extends ResponseKind = ResponseKind,
  Access extends 'open' | 'session' = 'open' | 'session',
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  readonly summary: string;
  readonly access: Access;
  readonly request: RequestSchema;
  readonly response: ResponseSchema;
  readonly maxBodyBytes?: number;
}

/** The type of the endpoint's request. */
export type RequestOf<E> =
  E extends Endpoint<infer T, infer _> ? (T extends z.ZodMiniType ? z.infer<T> : undefined) : never;

/** The type of the endpoint's response. */
export type ResponseOf<E> =
  E extends Endpoint<infer _, infer A>
    ? A extends z.ZodMiniType
      ? z.infer<A>
      : A extends 'bytes'
        ? AsyncIterable<Uint8Array>
        : string
    : never;

/** Preserves the literal types of an endpoint definition. */
export function endpoint<T extends z.ZodMiniType | null, A extends ResponseKind, X extends 'open' | 'session'>(
  definition: Endpoint<T, A, X>,
): Endpoint<T, A, X> {
  return definition;
}
