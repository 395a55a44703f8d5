import type { Server } from 'node:http';

/** The part of a Fastify instance that closing needs. */
interface HttpApp {
  readonly server: Pick<Server, 'closeAllConnections'>;
  close(): PromiseLike<unknown>;
}

/** Time for responses under way when a service stops. */
const graceMs = 3_000;

/**
 * Stops listening, closes idle connections, and waits for responses under way. Then cuts all other
 * connections: Node.js waits without limit for one that never sent a byte, or half a request.
 */
export async function closeHttpServer(app: HttpApp): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
}
