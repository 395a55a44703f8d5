import pg from 'pg';
import type { Pool } from './pool.ts';

/** Closes the connections of several pools without waiting for their server. */
export class OpenConnections {
  readonly #clients = new Set<pg.PoolClient>();

  /** Returns the pool. */
  follow(pool: Pool): Pool {
    pool.on('connect', (client) => this.#clients.add(client));
    pool.on('remove', (client) => this.#clients.delete(client));
    return pool;
  }

  /** Statements in progress fail as when the server closes the connection. */
  close(): void {
    for (const client of this.#clients) closeAtOnce(client);
  }
}

/** Closes a connection whose server may not answer, for which `end` would wait. */
export function closeAtOnce(client: pg.ClientBase): void {
  if (!(client instanceof pg.Client)) throw new Error('The driver has other connections.');
  client.connection.stream.destroy();
}
