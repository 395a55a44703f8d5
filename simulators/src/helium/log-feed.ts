/** Sends an app's log to every socket immediately and stores it in the app's table. */
import type { Duplex } from 'node:stream';
import type { LogStore } from './log.store.ts';
import { logFrames, rawFrame } from './log-frames.ts';
import { createStamp, type LogLine } from './log-record.ts';

/** A viewer that is further behind is disconnected, because its backlog would fill the memory. */
const maxBufferedBytes = 64 * 1024 * 1024;
const maxEagerBytes = 1024 * 1024;

export interface LogFeed {
  /** `keep: false` sends lines to the sockets only. */
  emit(lines: readonly LogLine[], options?: { keep: boolean }): void;
  /** Sends a frame with this content to the sockets only, whether or not it is a record. */
  emitRaw(content: string | Buffer): void;
  /** Sends complete frames to this socket until it closes. */
  attach(socket: Duplex): void;
  /** The number of attached sockets. */
  viewers(): number;
  /** Whether every socket accepts more data now. */
  isEager(): boolean;
  /** Closes every socket without a close frame. */
  cut(): void;
  /** Sends nothing more to the attached sockets without closing them, like a lost network. */
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
    emitRaw(content) {
      for (const socket of sockets) socket.write(rawFrame(Buffer.from(content)));
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
