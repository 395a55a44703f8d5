/**
 * A proxy before Journey that changes what its answers say: the simulator itself neither keeps nor
 * says such values.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { SyncConfig } from '@portal/contract/sync-config';
import type { SyncWorld } from '../testing/sync-world.fixture.ts';

export interface AlteredAnswers {
  /** Sends the integration's calls through the proxy. */
  readonly through: (config: SyncConfig) => SyncConfig;
  /** From now on answers say `to`, in JSON's own spelling, wherever they say `from`. */
  alter(from: string, to: string): void;
  /** The next such call is answered as things stand then, and its answer let go by `release`. */
  hold(isMeant: (path: string) => boolean): { readonly held: Promise<void>; readonly release: () => void };
  stop(): Promise<void>;
}

/** What the engine asks with, and goes by. */
const forwardedHeaders = ['authorization', 'accept', 'content-type', 'if-none-match'];
const answered = ['content-type', 'etag', 'retry-after'];

export async function alterAnswers({ deployment }: SyncWorld): Promise<AlteredAnswers> {
  const { origin, pathname } = new URL(deployment.url);
  const changes = new Map<string, string>();
  let holding:
    | { readonly isMeant: (path: string) => boolean; readonly tell: () => void; readonly released: Promise<void> }
    | undefined;
  const server = createServer(async (request, response) => {
    const headers = forwardedHeaders.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const { method = 'GET' } = request;
    const body = method === 'GET' ? undefined : new Uint8Array(await buffer(request));
    const asked = fetch(`${origin}${request.url}`, { method, headers, ...(body && { body }) });
    const answer = await asked.catch(() => undefined);
    if (!answer) {
      response.destroy();
      return;
    }
    let text = await answer.text();
    for (const [from, to] of changes) text = text.replaceAll(from, () => to);
    if (holding?.isMeant(request.url ?? '')) {
      const { tell, released } = holding;
      holding = undefined;
      tell();
      await released;
    }
    for (const name of answered) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answer.status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    through: (config) => ({
      ...config,
      journey: { ...config.journey, baseUrl: `http://127.0.0.1:${port}${pathname}` },
    }),
    alter: (from, to) => void changes.set(from, to),
    hold(isMeant) {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const held = new Promise<void>((tell) => {
        holding = { isMeant, tell, released };
      });
      return { held, release };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
