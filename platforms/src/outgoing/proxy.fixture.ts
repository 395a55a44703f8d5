/**
 * A proxy that forwards calls and opens tunnels. It resolves every name to this machine, so a name
 * that no one else knows is reached only through it.
 */
import { createServer, request as forward } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface TestProxy {
  readonly url: string;
  readonly host: string;
  /** What it received: `GET http://name:port/path` or `CONNECT name:port`. */
  readonly requests: string[];
  /** The values of `Proxy-Authorization`. */
  readonly authorizations: (string | undefined)[];
  /** From now on, answers everything with this status; null ends that. */
  refuseWith(status: number | null): void;
  stop(): Promise<void>;
}

export async function startProxy(): Promise<TestProxy> {
  const requests: string[] = [];
  const authorizations: (string | undefined)[] = [];
  /** The server forgets the connections of tunnels. */
  const tunnels = new Set<Duplex>();
  let refusal: number | null = null;
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    const { 'proxy-authorization': authorization, ...rest } = headers;
    requests.push(`${method} ${url}`);
    authorizations.push(authorization);
    if (refusal !== null) return response.writeHead(refusal).end();
    const { port, pathname, search } = new URL(url);
    const call = forward({ port, method, path: pathname + search, headers: rest }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    call.on('error', () => response.writeHead(502).end());
    return request.pipe(call);
  });
  server.on('connect', ({ url = '', headers }, client) => {
    requests.push(`CONNECT ${url}`);
    authorizations.push(headers['proxy-authorization']);
    tunnels.add(client);
    client.on('error', () => undefined);
    if (refusal !== null) {
      client.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
      return;
    }
    const target = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client);
      client.pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => {
      tunnels.delete(client);
      target.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    requests,
    authorizations,
    refuseWith(status) {
      refusal = status;
    },
    async stop() {
      for (const client of tunnels) client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
