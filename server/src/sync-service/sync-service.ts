/** Client of the sync service, over HTTP and sockets at an internal address. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint, ResponseOf } from '@portal/contract/endpoint';
import { type forwardedWebhooksSchema, webhookVerdictsSchema } from '@portal/contract/sync/webhooks';
import type { Problem } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { WebSocket } from 'ws';
import type * as z from 'zod/mini';
import type { Actor } from '../audit/audit-trail.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { badGateway, ForwardedProblem, noConnection, timeoutProblem, toProblem } from './sync-problem.ts';

export interface SyncServiceOptions {
  /** `sync.url` */
  readonly url: string;
  readonly token: Secret;
  /** Time limit per response; 30 s by default. */
  readonly timeoutMs?: number;
}

/** The user on whose behalf the service is called. */
export type SyncActor = Pick<Actor, 'username' | 'environment'> & { readonly origin: { readonly requestId: string } };

export interface SyncCall {
  /** Values of the `:name` parameters in the endpoint's path. */
  readonly params?: Readonly<Record<string, string>>;
  /**
   * Query of a GET, or JSON body otherwise; may contain more than the contract allows for callers.
   */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Time limit for a call that takes longer than others. */
  readonly timeoutMs?: number;
}

export interface Webhook {
  /** The secret in the address that it was sent to. */
  readonly address: string;
  readonly body: Buffer;
  readonly signature: string;
  readonly requestId: string;
}

interface ServiceRequest {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly request: RequestInit;
}

export interface OpenedFile {
  readonly fileName: string;
  /** In bytes. */
  readonly size: number;
  readonly bytes: ReadableStream<Uint8Array>;
}

/** Time limit for a whole file, also over a slow connection of the caller. */
const fileTimeoutMs = 600_000;

const maxResponseBytes = 32 * 1024 * 1024;
const maxFrameBytes = 8 * 1024 * 1024;

const probeTimeoutMs = 2_000;
/** How long a probe's result is used. */
const probeEveryMs = 2_000;
/** How long a health check waits for a running probe. */
const maxProbeWaitMs = 250;

export class SyncService {
  readonly #url: string;
  readonly #token: Secret;
  readonly #timeoutMs: number;
  readonly #probes = new ExpiringCache<void>({ ttlMs: probeEveryMs });
  #wasReachable = true;

  constructor({ url, token, timeoutMs = 30_000 }: SyncServiceOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Calls an endpoint and returns its validated response. Throws the service's problem with its
   * status, Unreachable with the specified message if the service is unreachable or its response is
   * invalid, or the signal's reason.
   */
  async call<E extends Endpoint<z.ZodMiniType | null, z.ZodMiniType>>(
    actor: SyncActor,
    { method, path, response }: E,
    { params = {}, payload = {}, signal, timeoutMs = this.#timeoutMs }: SyncCall = {},
  ): Promise<ResponseOf<E>> {
    const resolvedPath = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const isGet = method === 'GET';
    const options = { signal, timeoutMs };
    const { status, text } = await this.#fetch(`/api${resolvedPath}${isGet ? toQuery(payload) : ''}`, options, {
      method,
      headers: { ...this.#headers(actor), accept: 'application/json', 'content-type': 'application/json' },
      ...(!isGet && { body: JSON.stringify(payload) }),
    });
    if (status !== 200) throw toProblem(status, text);
    const parsed = response.safeParse(parseJson(text));
    if (!parsed.success) throw badGateway(`its response is not as expected: ${parsed.error.issues[0]?.path.join('.')}`);
    // The compiler does not see that the schema is the one of ResponseOf.
    return parsed.data as ResponseOf<E>;
  }

  /**
   * Opens a file of the service. Its bytes are read as they are needed, and end with an error if
   * the service or the signal ends them early.
   */
  async open(
    actor: SyncActor,
    { path }: Pick<Endpoint, 'path'>,
    { params = {}, payload = {}, signal }: Pick<SyncCall, 'params' | 'payload' | 'signal'>,
  ): Promise<OpenedFile> {
    const resolvedPath = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const options = { signal, timeoutMs: fileTimeoutMs, request: { headers: this.#headers(actor) } };
    const response = await this.#request(`/api${resolvedPath}${toQuery(payload)}`, options, (one) => one);
    if (response.status !== 200) throw toProblem(response.status, await readText(response));
    const { headers, body } = response;
    const size = Number(headers.get('content-length') ?? Number.NaN);
    const fileName = headers.get('x-file-name');
    if (body === null || fileName === null || !Number.isSafeInteger(size)) throw badGateway('it sent no file');
    return { fileName: decodeURIComponent(fileName), size, bytes: body };
  }

  /**
   * Returns whether the service responds, as of at most two seconds ago. Returns within a quarter
   * of a second: while a silent service is being probed, the last result counts.
   */
  async isReachable(): Promise<boolean> {
    const probe = this.#probes.get('health', async () => {
      this.#wasReachable = await fetch(`${this.#url}/health`, { signal: AbortSignal.timeout(probeTimeoutMs) }).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    await Promise.race([probe, wait(maxProbeWaitMs, undefined, { ref: false })]);
    return this.#wasReachable;
  }

  /** Returns the service's verdict on each webhook, in their order; null if it is accepted. */
  async forwardWebhooks(webhooks: readonly Webhook[]): Promise<(Problem | null)[]> {
    const options = { signal: undefined, timeoutMs: this.#timeoutMs };
    const { status, text } = await this.#fetch('/webhooks', options, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#token.reveal()}`,
        'content-type': 'application/json',
        'x-request-id': webhooks[0]?.requestId ?? '',
      },
      body: JSON.stringify(webhooks.map(toForwarded)),
    });
    if (status !== 200) throw toProblem(status, text);
    const verdicts = webhookVerdictsSchema.safeParse(parseJson(text));
    if (!verdicts.success) throw badGateway('its verdicts on webhooks are not as expected');
    return verdicts.data.map((problem) => problem && new ForwardedProblem(problem.status, problem.message));
  }

  /** Returns a socket that is being opened. */
  connect(actor: SyncActor): WebSocket {
    return new WebSocket(`${this.#url.replace(/^http/, 'ws')}/ws`, {
      headers: this.#headers(actor),
      perMessageDeflate: false,
      handshakeTimeout: this.#timeoutMs,
      maxPayload: maxFrameBytes,
    });
  }

  async #fetch(
    path: string,
    { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
    request: RequestInit,
  ) {
    return this.#request(path, { signal, timeoutMs, request }, async (response) => ({
      status: response.status,
      text: await readText(response),
    }));
  }

  /**
   * Calls the service, and throws what `call` throws unless it responds and the response is read.
   */
  async #request<Result>(
    path: string,
    { signal, timeoutMs, request }: ServiceRequest,
    read: (response: Response) => Result | Promise<Result>,
  ): Promise<Result> {
    const timeoutSignal = AbortSignal.timeout(timeoutMs);
    const anySignal = signal === undefined ? timeoutSignal : AbortSignal.any([timeoutSignal, signal]);
    try {
      return await read(await fetch(this.#url + path, { ...request, redirect: 'manual', signal: anySignal }));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (timeoutSignal.aborted) throw timeoutProblem(timeoutMs);
      // `fetch` reports a failed connection as a TypeError.
      if (!(error instanceof TypeError)) throw badGateway(error);
      this.#probes.invalidate('health');
      throw noConnection(error);
    }
  }

  /** Names are encoded because headers are limited to ASCII. */
  #headers({ username, environment, origin }: SyncActor): Record<string, string> {
    return {
      authorization: `Bearer ${this.#token.reveal()}`,
      'x-portal-user': encodeURIComponent(username),
      'x-portal-environment': encodeURIComponent(environment.name),
      'x-request-id': origin.requestId,
    };
  }
}

/** The signature is that of the exact bytes, which JSON cannot contain. */
function toForwarded({ address, signature, body }: Webhook): z.infer<typeof forwardedWebhooksSchema>[number] {
  return { address, signature, body: body.toString('base64') };
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Error(`its response has more than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badGateway(error);
  }
}

function toQuery(payload: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(payload)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}
