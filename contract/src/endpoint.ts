import type * as z from 'zod/mini';
import type { Rules } from './rules.ts';
import type { SyncBase } from './sync/base.ts';

type ResponseKind = z.ZodMiniType | 'text' | 'bytes';

/**
 * The definition of an endpoint as data. Server and page both derive from it: the same schemas
 * validate at run time on both sides, type the handler and the caller, and generate OpenAPI. The
 * server enforces its rules.
 *
 * - `path` uses `:name` for parameters; the server ignores trailing slashes on every path.
 * - `request` is the JSON body of a POST, PUT or DELETE, or the query of a GET; `null` if there is
 * none. The server refuses fields that are not in it.
 * - `response` is the JSON response, `'text'` where the specification says "server text", or
 *   `'bytes'` for the content of a file, which a browser saves and never shows.
 * - `base` is the base path of a sync service; only callers of its environments may use it.
 */
export interface Endpoint<
  RequestSchema extends z.ZodMiniType | null = z.ZodMiniType | null,
  ResponseSchema extends ResponseKind = ResponseKind,
> extends Rules {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  readonly summary: string;
  readonly request: RequestSchema;
  /** The query of a call with a body; none if absent. */
  readonly query?: z.ZodMiniType;
  readonly response: ResponseSchema;
  readonly base?: SyncBase;
}

/** The type of the endpoint's request. */
export type RequestOf<E> = E extends { readonly request: infer T }
  ? T extends z.ZodMiniType
    ? z.infer<T>
    : undefined
  : never;

/** The type of the endpoint's response. */
export type ResponseOf<E> = E extends { readonly response: infer A }
  ? A extends z.ZodMiniType
    ? z.infer<A>
    : A extends 'bytes'
      ? AsyncIterable<Uint8Array>
      : string
  : never;

/** The names of the `:name` parts of a path. */
export type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The fields of an object, and those of the objects in it: 'config', 'config.helium'. */
type FieldsIn<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? { [Name in keyof T & string]: Name | `${Name}.${FieldsIn<NonNullable<T[Name]>>}` }[keyof T & string]
    : never;

/** The fields of the endpoint's request and the parameters of its path. */
type FieldsOf<E extends { readonly path: string; readonly request: unknown }> =
  | ParamsOf<E['path']>
  | FieldsIn<NonNullable<RequestOf<E>>>;

/**
 * Preserves the literal types of an endpoint definition. Does not compile if `about` names a field
 * that is neither in the request nor in the path.
 */
export function endpoint<const E extends Endpoint>(definition: E & { readonly about: Rules<FieldsOf<E>>['about'] }): E {
  return definition;
}
