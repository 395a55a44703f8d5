import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A connection between two parts of the system that passes bytes unchanged until a test breaks it.
 * Clients use its address, so a break looks to both sides like a network failure.
 */
export interface Line {
  readonly port: number;
  /** Resets every connection; new ones are accepted. */
  cut(): void;
  /** Resets every connection and refuses new ones until `restore`. */
  down(): void;
  /** Keeps every connection open and drops all data, like a network that swallows packets. */
  freeze(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function openLine(target: { readonly host: string; readonly port: number }): Promise<Line> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isDown = false;
  let isFrozen = false;

  const server = createServer((near) => {
    if (isDown) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(target.port, target.host);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => {
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => isFrozen || from.resume());
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (isFrozen) for (const socket of pair) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const endAll = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  };
  return {
    port,
    cut: endAll,
    down() {
      isDown = true;
      endAll();
    },
    freeze() {
      isFrozen = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    restore() {
      isDown = false;
      isFrozen = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    async close() {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}
