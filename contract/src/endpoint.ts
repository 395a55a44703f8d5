import type * as z from 'zod/mini';

/**
 * An endpoint as data. Server and page are both built from it: the same schemas validate at run
 * time on both sides, type the handler and the caller, and become OpenAPI.
 *
 * - `path` uses `:name` for parameters; trailing slashes are ignored by the server on every path.
 * - `takes` is the JSON body of a POST, PUT, DELETE, or the query of a GET; `null` when there is
 * none.
 * - `answers` is the JSON answer, or `'text'` where the specification says "server text".
 * - `access: 'open'` needs no session.
 */
export interface Endpoint<
  RequestSchema extends z.ZodMiniType | null = z.ZodMiniType | null,
  ResponseSchema extends z.ZodMiniType | 'text' = z.ZodMiniType | 'text',
  Access extends 'open' | 'session' = 'open' | 'session',
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  readonly summary: string;
  readonly access: Access;
  readonly request: RequestSchema;
  readonly response: ResponseSchema;
}

/** What a caller may send to the endpoint. */
export type RequestOf<E> =
  E extends Endpoint<infer T, infer _> ? (T extends z.ZodMiniType ? z.infer<T> : undefined) : never;

/** What the endpoint answers. */
export type ResponseOf<E> =
  E extends Endpoint<infer _, infer A> ? (A extends z.ZodMiniType ? z.infer<A> : string) : never;

/** Keeps the literal types of an endpoint. */
export function endpoint<
  T extends z.ZodMiniType | null,
  A extends z.ZodMiniType | 'text',
  X extends 'open' | 'session',
>(definition: Endpoint<T, A, X>): Endpoint<T, A, X> {
  return definition;
}
