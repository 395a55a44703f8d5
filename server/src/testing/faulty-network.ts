import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

interface PassingCall {
  readonly method: string;
  readonly path: string;
  /** The request body as text. */
  readonly sent: string;
}

/**
 * The fate of a call: it passes, its connection is cut before it arrives (`cut`), or it is executed
 * and the response is lost (`lose-answer`).
 */
type Fate = 'pass' | 'cut' | 'lose-answer';

export interface FaultyNetwork {
  readonly url: string;
  /** Sets the function that decides the fate of each call, which waits for a promise. */
  decide(decideFate: (call: PassingCall) => Fate | Promise<Fate>): void;
  /** Lets every call pass again. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts a proxy between portal and platform that a test can break for individual calls. */
export async function startFaultyNetwork(target: string): Promise<FaultyNetwork> {
  const reset = (): Fate => 'pass';
  let decideFate: (call: PassingCall) => Fate | Promise<Fate> = reset;
  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const sent = await readText(incoming);
    const fate = await decideFate({ method, path, sent });
    if (fate === 'cut') return void incoming.socket.destroy();
    const onward = request(target + path, { method, headers, agent: false }, (arrived) => {
      if (fate === 'lose-answer') {
        arrived.resume().once('close', () => incoming.socket.destroy());
        return;
      }
      response.writeHead(arrived.statusCode ?? 502, arrived.headers);
      // If the platform aborts a response, so does the proxy.
      pipeline(arrived, response, () => undefined);
    });
    onward.on('error', () => incoming.socket.destroy());
    onward.end(sent);
  });
  // Sockets pass unchanged; once open, they are not individual calls.
  server.on('upgrade', (incoming, near: Socket, head) => {
    const far = connect(Number(new URL(target).port), '127.0.0.1');
    const headers = incoming.rawHeaders.map((word, index) => word + (index % 2 === 0 ? ': ' : '\r\n')).join('');
    far.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${headers}\r\n`);
    far.write(head);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.once('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    decide(next) {
      decideFate = next;
    },
    reset() {
      decideFate = reset;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}
