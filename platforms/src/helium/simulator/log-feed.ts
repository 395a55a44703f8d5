/** An app's log as it comes into being: to every socket at once, and to the app's table. */
import type { Duplex } from 'node:stream';
import { logFrames } from './log-frames.ts';
import { createStamp, type LogLine } from './log-record.ts';
import type { LogStore } from './log-store.ts';

/**
 * A viewer this far behind is let go: a server that waits for it would keep everything in memory.
 */
const maxBufferedBytes = 64 * 1024 * 1024;
const maxEagerBytes = 1024 * 1024;

export interface LogFeed {
  /** `keep: false` sends lines to the sockets alone. */
  emit(lines: readonly LogLine[], options?: { keep: boolean }): void;
  /** Sends to this socket until it closes. Only whole frames are written. */
  attach(socket: Duplex): void;
  /** How many sockets listen. */
  viewers(): number;
  /** Whether every socket takes more at once. */
  isEager(): boolean;
  /** Cuts every socket without a word. */
  cut(): void;
  /** Sends nothing more to those who listen now and never says so, as a lost network does. */
  freeze(): void;
}

export function createLogFeed(appId: string, store: LogStore): LogFeed {
  const sockets = new Set<Duplex>();
  const frozen = new WeakSet<Duplex>();
  const stamp = createStamp(appId);
  return {
    emit(lines, { keep } = { keep: true }) {
      if (lines.length === 0) return;
      const records = lines.map(stamp);
      if (sockets.size > 0) {
        const frames = logFrames(records);
        for (const socket of sockets) {
          if (frozen.has(socket)) continue;
          socket.write(frames);
          if (socket.writableLength > maxBufferedBytes) socket.destroy();
        }
      }
      if (keep) store.add(records);
    },
    attach(socket) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    viewers: () => sockets.size,
    isEager: () => {
      for (const socket of sockets) if (socket.writableLength > maxEagerBytes) return false;
      return sockets.size > 0;
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      for (const socket of sockets) {
        frozen.add(socket);
        socket.pause();
        socket.cork();
      }
    },
  };
}
