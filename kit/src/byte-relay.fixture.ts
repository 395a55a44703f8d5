import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface ByteRelay {
  readonly port: number;
  /** How many connections it has accepted. */
  connectionCount(): number;
  /** Stops passing bytes, on open and on new connections, without closing any. */
  stall(): void;
  /**
   * Swallows the bytes of all open and new connections without closing any, like a firewall that
   * has forgotten them. After `resume`, only connections opened since then pass bytes.
   */
  swallow(): void;
  /** The same for the connections that are open now: new ones pass bytes. */
  swallowOpen(): void;
  /** Passes what the host sends byte by byte, on open and on new connections. */
  dribble(everyMs: number): void;
  /** Passes bytes again, including those that arrived since `stall` or `dribble`. */
  resume(): void;
  stop(): Promise<void>;
}

/** Starts a relay to a port of this machine that a test can stall, like a host that hangs. */
export async function startByteRelay(targetPort: number): Promise<ByteRelay> {
  const open = new Set<Socket>();
  const dead = new Set<Socket>();
  let isStalled = false;
  let isSwallowing = false;
  let connectionCount = 0;
  /** What the host has sent and was not passed yet, while it is slow. */
  const unsent = new Map<Socket, Buffer>();
  let dribbling: NodeJS.Timeout | undefined;
  const server = createServer({ pauseOnConnect: true }, (near) => {
    connectionCount += 1;
    const far = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      if (isSwallowing) dead.add(socket);
      socket.on('data', (bytes) => {
        if (dead.has(socket)) return;
        if (dribbling && socket === far) unsent.set(near, Buffer.concat([unsent.get(near) ?? Buffer.alloc(0), bytes]));
        else other.write(bytes);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        dead.delete(socket);
        unsent.delete(socket);
        other.destroy();
      });
      if (isStalled) socket.pause();
      else socket.resume();
    }
  });
  const swallowOpen = () => {
    for (const socket of open) dead.add(socket);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connectionCount: () => connectionCount,
    stall() {
      isStalled = true;
      for (const socket of open) socket.pause();
    },
    swallow() {
      isSwallowing = true;
      swallowOpen();
    },
    swallowOpen,
    dribble(everyMs) {
      dribbling = setInterval(() => {
        for (const [near, bytes] of unsent) {
          near.write(bytes.subarray(0, 1));
          unsent.set(near, bytes.subarray(1));
        }
      }, everyMs);
    },
    resume() {
      clearInterval(dribbling);
      dribbling = undefined;
      for (const [near, bytes] of unsent) near.write(bytes);
      unsent.clear();
      isStalled = false;
      isSwallowing = false;
      for (const socket of open) socket.resume();
    },
    stop: () =>
      new Promise((resolve) => {
        clearInterval(dribbling);
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
