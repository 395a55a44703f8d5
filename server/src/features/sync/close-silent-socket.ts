import type { WebSocket } from 'ws';

export interface SocketActivity {
  /** It has shown life otherwise than by an answer to a ping. */
  markActive(): void;
}

/**
 * Pings a socket, and ends it when it has been silent for so many beats: a connection can die
 * without a word. One that is paused is not read, so nothing is expected of it.
 */
export function closeWhenSilent(socket: WebSocket, heartbeatMs: number, silentHeartbeats: number): SocketActivity {
  let silent = 0;
  const markActive = () => {
    silent = 0;
  };
  const heartbeat = setInterval(() => {
    if (socket.isPaused) return markActive();
    silent += 1;
    if (silent > silentHeartbeats) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, heartbeatMs);
  socket.on('pong', markActive);
  socket.once('close', () => clearInterval(heartbeat));
  return { markActive };
}
