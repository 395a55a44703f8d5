import pg from 'pg';
import type { BackendKey } from './session.ts';

/** PostgreSQL's CancelRequest message: its length, its number, and the key. */
function toCancelRequest({ processId, secret }: BackendKey): Buffer {
  const message = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, processId, secret].entries()) message.writeInt32BE(value, index * 4);
  return message;
}

/**
 * Asks the server to cancel what a connection runs. Unlike `pg_cancel_backend`, this reaches the
 * right statement through a pooler. Resolves when the request was received; there is no answer
 * whether anything was canceled. Throws when the server cannot be reached.
 *
 * @param config of the connection
 */
export async function cancelStatement(config: pg.ClientConfig, key: BackendKey): Promise<void> {
  const client = new pg.Client(config);
  const { connection } = client;
  let isSent = false;
  // Takes the place of the startup message, after TLS. The server closes the connection.
  Object.assign(connection, {
    startup() {
      connection.stream.write(toCancelRequest(key));
      isSent = true;
    },
  });
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    if (!isSent || !(error instanceof Error) || error.message !== 'Connection terminated unexpectedly') throw error;
  });
}
