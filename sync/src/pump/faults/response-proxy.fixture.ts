/**
 * A proxy in front of Journey that changes its responses, because the simulator cannot produce such
 * values.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { SyncConfig } from '@portal/contract/sync-config';
import type { SyncWorld } from '../testing/sync-world.fixture.ts';

export interface ResponseProxy {
  /** Sends the integration's calls through the proxy. */
  readonly through: (config: SyncConfig) => SyncConfig;
  /** The calls it received, below the deployment's address: 'POST batch.json'. */
  readonly calls: string[];
  /** The operations of all batches, as JSON. */
  readonly operations: string[];
  /** From now on, replaces `from` with `to`, both in JSON notation, in all responses. */
  alter(from: string, to: string): void;
  /** Forwards the next matching call, and delays its response until `release` is called. */
  hold(matches: (path: string) => boolean): { readonly held: Promise<void>; readonly release: () => void };
  /** From now on, shows only the entries that the op-log has now. */
  freezeOpLog(): Promise<void>;
  thawOpLog(): void;
  stop(): Promise<void>;
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
  const calls: string[] = [];
  const operations: string[] = [];
  let frozenAt: bigint | null = null;
  let holding:
    | { readonly matches: (path: string) => boolean; readonly resolve: () => void; readonly released: Promise<void> }
    | undefined;
  const server = createServer(async (request, response) => {
    const headers = forwardedRequestHeaders.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const { method = 'GET' } = request;
    calls.push(`${method} ${request.url?.replace(`${pathname}/`, '').replace(/\?.*/, '')}`);
    const body = method === 'GET' ? undefined : new Uint8Array(await buffer(request));
    if (body && request.url?.includes('batch.json')) {
      const batch: { operations: unknown[] } = JSON.parse(Buffer.from(body).toString());
      operations.push(...batch.operations.map((operation) => JSON.stringify(operation)));
    }
    const pendingResponse = fetch(`${origin}${request.url}`, { method, headers, ...(body && { body }) });
    const upstreamResponse = await pendingResponse.catch(() => undefined);
    if (!upstreamResponse) {
      response.destroy();
      return;
    }
    let text = await upstreamResponse.text();
    if (frozenAt !== null && request.url?.includes('oplog.json')) text = hideEntries(text, frozenAt);
    for (const [from, to] of changes) text = text.replaceAll(from, () => to);
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
