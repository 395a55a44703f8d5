/**
 * A proxy in front of Journey that counts the downloads of files, answers some of them itself, and
 * closes connections without an answer.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { SyncWorld } from './sync-world.fixture.ts';

interface DownloadCall {
  /** Journey's id of the file. */
  readonly id: string;
  /** How many downloads of it came before this one. */
  readonly earlier: number;
}

/**
 * A status without a file; 'never' does not answer; 'nameless' removes the file's name from its
 * address; null forwards the call.
 */
type DownloadAnswer = number | 'never' | 'nameless' | null;

/**
 * `cut` does not forward the call, `lose` forwards it; neither answers. null forwards and answers.
 */
type Interruption = 'cut' | 'lose' | null;

type ChooseAnswer = (call: DownloadCall) => DownloadAnswer | Promise<DownloadAnswer>;

export interface FileProxy {
  /** The deployment's address through the proxy. */
  readonly url: string;
  /** Sends the integration's calls through the proxy. */
  readonly through: (config: SyncConfig) => SyncConfig;
  /** The downloads that it received, by the id of the file. */
  readonly downloads: string[];
  /** Decides about each download from now on, at once or later. Without it, all are forwarded. */
  answer(choose: ChooseAnswer): void;
  /** Decides from now on which calls are interrupted, by the bytes of their body. */
  interrupt(choose: (bytes: number, path: string) => Interruption): void;
  stop(): Promise<void>;
}

const forwarded = ['authorization', 'accept', 'content-type', 'if-none-match'];
const returned = ['content-type', 'content-disposition', 'etag', 'location', 'retry-after'];

export async function startFileProxy({ deployment }: Pick<SyncWorld, 'deployment'>): Promise<FileProxy> {
  const { origin, pathname } = new URL(deployment.url);
  const downloads: string[] = [];
  let choose: ChooseAnswer = () => null;
  let interrupt: (bytes: number, path: string) => Interruption = () => null;
  let own = '';

  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '' } = request;
    const id = /\/attachments\/([^/]+)\//.exec(path)?.[1];
    let isNameless = false;
    if (id !== undefined) {
      const earlier = downloads.filter((one) => one === id).length;
      downloads.push(id);
      const answer = await choose({ id, earlier });
      if (answer === 'never') return;
      isNameless = answer === 'nameless';
      if (typeof answer === 'number') {
        response.writeHead(answer, { 'content-type': 'text/plain' }).end('not now');
        return;
      }
    }
    const headers = forwarded.flatMap((name): [string, string][] => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const body = method === 'GET' ? undefined : new Uint8Array(await buffer(request));
    const interruption = interrupt(body?.length ?? 0, path);
    if (interruption === 'cut') {
      response.destroy();
      return;
    }
    const init: RequestInit = { method, headers, redirect: 'manual', ...(body && { body }) };
    const upstream = await fetch(`${origin}${path}`, init).catch(() => undefined);
    if (!upstream || interruption === 'lose') {
      response.destroy();
      return;
    }
    for (const name of returned) {
      const value = upstream.headers.get(name);
      if (value !== null) response.setHeader(name, value.replace(origin, own));
    }
    const location = response.getHeader('location');
    if (isNameless) response.setHeader('location', String(location).replace(/[^/]*$/, 'content'));
    const isText = /json/.test(upstream.headers.get('content-type') ?? '');
    const content = isText
      ? (await upstream.text()).replaceAll(origin, own)
      : Buffer.from(await upstream.arrayBuffer());
    response.writeHead(upstream.status).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${own}${pathname}`;
  return {
    url,
    through: (config) => ({ ...config, journey: { ...config.journey, baseUrl: url } }),
    downloads,
    answer(chooseAnswer) {
      choose = chooseAnswer;
    },
    interrupt(choose) {
      interrupt = choose;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
