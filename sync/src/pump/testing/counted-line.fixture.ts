/**
 * What an engine says to its two platforms, counted over both, so that it can be killed at each
 * word in turn.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Before what it says has arrived; or once it has been answered, and nobody hears the answer. */
export type Moment = 'unheard' | 'unanswered';

export interface CountedLine {
  /** The same address, through the line. */
  through(url: string): Promise<string>;
  /** Counts anew from here, and answers at that word; nothing passes any more from then on. */
  untilWord(number: number, moment: Moment): Promise<void>;
  close(): Promise<void>;
}

export function createCountedLine(): CountedLine {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let [said, endsAt, moment, isOver]: [number, number, Moment, boolean] = [
    0,
    Number.POSITIVE_INFINITY,
    'unheard',
    false,
  ];
  let tell = () => {};

  const end = () => {
    isOver = true;
    tell();
  };

  function join(near: Socket, host: string, port: number): void {
    const far = connect(port, host);
    /** Whether the last word was said here. */
    let isLast = false;
    near.on('data', (bytes) => {
      if (isOver) return;
      said += 1;
      if (said > endsAt || (said === endsAt && moment === 'unheard')) return end();
      isLast = said === endsAt;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (isLast) end();
      if (!isOver) near.write(bytes);
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
      const server = createServer((near) => join(near, hostname, Number(port)));
      servers.push(server);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const through = new URL(url);
      through.port = String((server.address() as AddressInfo).port);
      return through.href.replace(/\/$/, '');
    },
    untilWord(number, at) {
      [said, endsAt, moment, isOver] = [0, number, at, false];
      return new Promise((resolve) => {
        tell = resolve;
      });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
}
