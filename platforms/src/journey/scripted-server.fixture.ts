/** A test server with scripted responses, including invalid ones. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** A number per connection. */
  readonly connection: number;
}

export type Script = (response: ServerResponse, request: SeenRequest, socket: Socket) => void;

export interface ScriptedServer {
  readonly origin: string;
  /** The requests received, oldest first. */
  readonly seen: readonly SeenRequest[];
  /**
   * Sets the scripts for the next requests and clears the requests seen. Each script runs once; the
   * last one repeats.
   */
  play(...scripts: readonly Script[]): void;
  stop(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const connections = new Map<Socket, number>();
  let scripts: readonly Script[] = [];
  const server = createServer(async (request, response) => {
    const { socket } = request;
    const url = new URL(request.url ?? '/', 'http://any');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    connections.set(socket, connections.get(socket) ?? connections.size + 1);
    const one: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
      connection: connections.get(socket) ?? 0,
    };
    const script = scripts[Math.min(seen.push(one), scripts.length) - 1];
    if (script) script(response, one, socket);
    else response.writeHead(500).end('no script');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no address.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    seen,
    play(...next) {
      seen.length = 0;
      scripts = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A JSON response. */
export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** A response of any other type. */
export function plain(body: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/plain', ...headers });
    response.end(body);
  };
}

/** Announces more bytes than it sends. */
export function sendHalf(body: string): Script {
  return (response, _request, socket) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.slice(0, body.length / 2), () => socket.destroy());
  };
}

/** Never responds. */
export const hang: Script = () => undefined;

/** Reads the request and closes the connection without a response. */
export const cut: Script = (_response, _request, socket) => {
  socket.resetAndDestroy();
};
