/**
 * A proxy in front of Journey that changes its responses, because the simulator cannot produce such
 * values.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { SyncWorld } from './sync-world.fixture.ts';

export interface ResponseProxy {
  /** Sends the integration's calls through the proxy. */
  readonly through: (config: SyncConfig) => SyncConfig;
  /** The calls it received, below the deployment's address: 'POST batch.json'. */
  readonly calls: string[];
  /** The operations of all batches, as JSON. */
  readonly operations: string[];
  /**
   * From now on, replaces `from` with `to`, both in JSON notation, in all responses. Digits alone
   * may be part of an id.
   */
  alter(from: string, to: string): void;
  /** From now on, replaces the bodies of matching responses by what `change` returns. */
  rewrite(matches: RegExp, change: (body: JsonObject) => unknown): void;
  /** Answers the next matching call itself, and does not forward it. */
  answerNext(matches: (path: string) => boolean, answer: ProxyAnswer): void;
  /**
   * From now on, answers the batches for which `choose` returns an answer, from their bodies.
   * 'reset' closes the connection instead. Journey receives none of them unless they are applied.
   */
  answerBatches(
    choose: (body: string) => BatchAnswer | Promise<BatchAnswer>,
    options?: { readonly isApplied: boolean },
  ): void;
  /**
   * From now on, answers the operations of a batch for which `choose` returns a type with an error
   * of that type. Journey receives them only if they are applied nevertheless.
   */
  failOperations(choose: (operation: Operation) => string | null, options?: { readonly isApplied: boolean }): void;
  /** Forwards the next matching call, and delays its response until `release` is called. */
  hold(matches: (path: string) => boolean): { readonly held: Promise<void>; readonly release: () => void };
  /** From now on, shows only the entries that the op-log has now. */
  freezeOpLog(): Promise<void>;
  thawOpLog(): void;
  stop(): Promise<void>;
}

export type JsonObject = Record<string, unknown>;

interface ProxyAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type BatchAnswer = ProxyAnswer | 'reset' | null;

export interface Operation {
  readonly method: string;
  readonly object: { readonly type: string; readonly id: string };
}

/** The headers that the engine sends and reads. */
const forwardedRequestHeaders = ['authorization', 'accept', 'content-type', 'if-none-match'];
const forwardedResponseHeaders = ['content-type', 'etag', 'retry-after'];

interface OpLogPage {
  readonly entries: readonly { readonly sequence_id: string }[];
  readonly has_more: boolean;
}

/** Removes the entries after one from a page of the op-log. */
function hideEntries(text: string, last: bigint): string {
  const page: OpLogPage = JSON.parse(text);
  const entries = page.entries.filter(({ sequence_id }) => BigInt(sequence_id) <= last);
  return JSON.stringify({ ...page, entries, has_more: page.has_more && entries.length === page.entries.length });
}

export async function startResponseProxy({ deployment }: SyncWorld): Promise<ResponseProxy> {
  const { origin, pathname } = new URL(deployment.url);
  const changes = new Map<string, string>();
  let rewriting: { readonly matches: RegExp; readonly change: (body: JsonObject) => unknown } | undefined;
  const calls: string[] = [];
  const operations: string[] = [];
  let frozenAt: bigint | null = null;
  let nextAnswer: { readonly matches: (path: string) => boolean; readonly answer: ProxyAnswer } | undefined;
  let choose: (operation: Operation) => string | null = () => null;
  let isApplied = false;
  let chooseAnswer: (body: string) => BatchAnswer | Promise<BatchAnswer> = () => null;
  let isAnsweredApplied = false;

  /** Forwards what Journey is to receive of a batch, and returns the results of all operations. */
  async function sendBatch(url: string, init: RequestInit, body: Uint8Array): Promise<Response> {
    const batch: { operations: Operation[] } = JSON.parse(Buffer.from(body).toString());
    operations.push(...batch.operations.map((operation) => JSON.stringify(operation)));
    const types = batch.operations.map(choose);
    const forwarded = batch.operations.filter((_, index) => types[index] === null || isApplied);
    if (types.every((type) => type === null) || forwarded.length === 0) {
      const results = batch.operations.map((operation, index) => toFailed(operation, types[index] ?? ''));
      return forwarded.length === 0 ? Response.json({ stop_on_error: false, operations: results }) : fetch(url, init);
    }
    const upstream = await fetch(url, { ...init, body: JSON.stringify({ ...batch, operations: forwarded }) });
    const answered = (await upstream.json()) as { operations: unknown[] };
    const results = batch.operations.map((operation, index) => {
      const type = types[index] ?? null;
      const result = type === null || isApplied ? answered.operations.shift() : undefined;
      return type === null ? result : toFailed(operation, type);
    });
    return Response.json({ stop_on_error: false, operations: results });
  }

  let holding:
    | { readonly matches: (path: string) => boolean; readonly resolve: () => void; readonly released: Promise<void> }
    | undefined;
  const server = createServer(async (request, response) => {
    const headers = forwardedRequestHeaders.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const { method = 'GET', url: path = '' } = request;
    calls.push(`${method} ${request.url?.replace(`${pathname}/`, '').replace(/\?.*/, '')}`);
    const body = method === 'GET' ? undefined : new Uint8Array(await buffer(request));
    if (nextAnswer?.matches(path)) {
      const { status, headers } = nextAnswer.answer;
      nextAnswer = undefined;
      response.writeHead(status, headers).end();
      return;
    }
    const init = { method, headers, ...(body && { body }) };
    const foreign = body && path.endsWith('/batch.json') ? await chooseAnswer(Buffer.from(body).toString()) : null;
    if (foreign !== null) {
      if (isAnsweredApplied) await fetch(`${origin}${path}`, init);
      if (foreign === 'reset') request.socket.resetAndDestroy();
      else response.writeHead(foreign.status, foreign.headers).end(foreign.body);
      return;
    }
    const pendingResponse =
      body && path.endsWith('/batch.json')
        ? sendBatch(`${origin}${path}`, init, body)
        : fetch(`${origin}${path}`, init);
    const upstreamResponse = await pendingResponse.catch(() => undefined);
    if (!upstreamResponse) {
      response.destroy();
      return;
    }
    let text = await upstreamResponse.text();
    if (frozenAt !== null && request.url?.includes('oplog.json')) text = hideEntries(text, frozenAt);
    for (const [from, to] of changes) text = text.replaceAll(from, () => to);
    if (rewriting?.matches.test(path) && text !== '') text = JSON.stringify(rewriting.change(JSON.parse(text)));
    if (holding?.matches(request.url ?? '')) {
      const { resolve, released } = holding;
      holding = undefined;
      resolve();
      await released;
    }
    for (const name of forwardedResponseHeaders) {
      const value = upstreamResponse.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(upstreamResponse.status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    through: (config) => ({
      ...config,
      journey: { ...config.journey, baseUrl: `http://127.0.0.1:${port}${pathname}` },
    }),
    calls,
    operations,
    async freezeOpLog() {
      const authorization = `Basic ${btoa(`${deployment.userName}:${deployment.password}`)}`;
      const url = `${deployment.url}/oplog.json?tail=true&limit=1&sequence_ids=true`;
      const page: OpLogPage = JSON.parse(await (await fetch(url, { headers: { authorization } })).text());
      frozenAt = BigInt(page.entries.at(-1)?.sequence_id ?? 0);
    },
    thawOpLog() {
      frozenAt = null;
    },
    alter: (from, to) => void changes.set(from, to),
    rewrite(matches, change) {
      rewriting = { matches, change };
    },
    answerNext(matches, answer) {
      nextAnswer = { matches, answer };
    },
    answerBatches(choose, options = { isApplied: false }) {
      chooseAnswer = choose;
      isAnsweredApplied = options.isApplied;
    },
    failOperations(chooseType, options = { isApplied: false }) {
      choose = chooseType;
      isApplied = options.isApplied;
    },
    hold(matches) {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const held = new Promise<void>((resolve) => {
        holding = { matches, resolve, released };
      });
      return { held, release };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toFailed({ method, object }: Operation, type: string) {
  return { method, object, success: false, error: { type, title: null, detail: null } };
}
