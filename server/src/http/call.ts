import type { Endpoint, ParamsOf, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Noted } from '../access/enforcer.ts';
import type { Subjects } from '../access/subjects.ts';
import type { Caller, MachineCaller } from '../session/caller.ts';
import type { RawJsonList } from './raw-json-list.ts';

/** The caller whom the endpoint lets in; null if it needs no session. */
type CallerOf<E extends Endpoint> = E['may'] extends 'open' | 'session-or-token' | 'secret-address'
  ? null
  : E['may'] extends 'sync.view-or-machine'
    ? Caller | MachineCaller
    : Caller;

/** Undefined where a subject may be missing: its field is optional, or the caller is a machine. */
type IfMissing<E extends Endpoint, Field> = E['may'] extends 'sync.view-or-machine'
  ? undefined
  : Field extends keyof NonNullable<RequestOf<E>>
    ? Extract<NonNullable<RequestOf<E>>[Field], undefined>
    : never;

/** What the endpoint declares to be about, as found for the caller. */
type FoundOf<E extends Endpoint> = {
  readonly [S in keyof E['about'] & keyof Subjects as E['about'][S] extends null ? never : S]:
    | Subjects[S]
    | IfMissing<E, E['about'][S]>;
};

/** What the handler notes for the audit trail; only where the endpoint declares an entry. */
type NotedOf<E extends Endpoint> = E['recorded'] extends false
  ? unknown
  : false extends E['recorded']
    ? { readonly noted?: Noted }
    : { readonly noted: Noted };

export type Call<E extends Endpoint> = {
  readonly input: RequestOf<E>;
  /** The `:name` parts of the path. */
  readonly params: Readonly<Record<ParamsOf<E['path']>, string>>;
  readonly caller: CallerOf<E>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborts when the caller disconnects. For reading; a change runs to its end. */
  readonly signal: AbortSignal;
} & FoundOf<E> &
  NotedOf<E>;

export type Handler<E extends Endpoint> = (
  call: Call<E>,
) => ResponseOf<E> | RawJsonList | Promise<ResponseOf<E> | RawJsonList>;
