import { createServer, type IncomingHttpHeaders } from 'node:http';

interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes, which are what is signed. */
  readonly body: Buffer;
  /** Parsed, so that the sequence may be rounded. */
  readonly json: ReturnType<typeof JSON.parse>;
}

interface WebhookReceiver {
  readonly url: string;
  /** The oldest first, with those without a response. */
  readonly received: readonly ReceivedWebhook[];
  /**
   * Sets the responses to the next calls; `cut` closes the connection. Those after them get 200.
   */
  respond(...responses: (number | 'cut' | 'hang')[]): void;
  cutConnections(): void;
  countConnections(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a receiver of webhooks outside Journey. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let responses: (number | 'cut' | 'hang')[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      received.push({ headers: request.headers, body, json: JSON.parse(body.toString('utf8')) });
      const next = responses.shift() ?? 200;
      if (next === 'cut') request.socket.resetAndDestroy();
      else if (next !== 'hang') response.writeHead(next).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no address.');
  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    received,
    respond(...next) {
      responses = next;
    },
    cutConnections: () => server.closeAllConnections(),
    countConnections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
