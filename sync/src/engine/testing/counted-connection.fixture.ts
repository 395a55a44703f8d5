/**
 * Counts the messages an engine sends to its two platforms, so that it can be killed at each one.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The time of the kill: before the message arrives, or after it was answered but before the
 * response is received.
 */
export type KillMoment = 'undelivered' | 'unanswered';

export interface CountedConnection {
  /** Returns an address that forwards to `url` through the counted connection. */
  through(url: string): Promise<string>;
  /**
   * Restarts the count, and resolves at the message with this number, or at the first one that
   * contains this text. Nothing passes from then on.
   */
  stopAtMessage(message: number | string, moment: KillMoment): Promise<void>;
  /**
   * Cuts everything and accepts nothing more until the next count, as if the engine were killed.
   */
  cut(): void;
  close(): Promise<void>;
}

export function createCountedConnection(): CountedConnection {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let [messageCount, stopAt, moment]: [number, number | string, KillMoment] = [
    0,
    Number.POSITIVE_INFINITY,
    'undelivered',
  ];
  let [isReached, isStopped, isCut] = [false, false, false];
  let notifyStopped = () => {};

  const stop = () => {
    isStopped = true;
    notifyStopped();
  };

  function connectThrough(near: Socket, host: string, port: number): void {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(port, host);
    /** Whether the last message was sent on this connection. */
    let isLast = false;
    near.on('data', (bytes) => {
      if (isStopped) return;
      messageCount += 1;
      const isStop = typeof stopAt === 'string' ? bytes.includes(stopAt) : messageCount === stopAt;
      if (isReached || (isStop && moment === 'undelivered')) return stop();
      isReached = isStop;
      isLast = isStop;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (isLast) stop();
      if (!isStopped) near.write(replacePort(bytes, port, near.localPort));
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  }

  return {
    async through(url) {
      const { hostname, port } = new URL(url);
      const server = createServer((near) => connectThrough(near, hostname, Number(port)));
      servers.push(server);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const through = new URL(url);
      through.port = String((server.address() as AddressInfo).port);
      return through.href.replace(/\/$/, '');
    },
    stopAtMessage(message, at) {
      [messageCount, stopAt, moment] = [0, message, at];
      [isReached, isStopped, isCut] = [false, false, false];
      return new Promise((resolve) => {
        notifyStopped = resolve;
      });
    },
    cut() {
      [isStopped, isCut] = [true, true];
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
}

/** Makes Journey's addresses of files lead through the connection. Free ports have five digits. */
function replacePort(bytes: Buffer, from: number, to: number | undefined): Buffer {
  const address = `127.0.0.1:${from}/`;
  if (!bytes.includes(address)) return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll(address, `127.0.0.1:${to}/`), 'latin1');
}
