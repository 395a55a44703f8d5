import type { WebSocket } from 'ws';

export interface SocketActivity {
  /** Reports activity other than a pong. */
  markActive(): void;
}

/**
 * Pings a socket and terminates it after this many silent heartbeats, because a connection can die
 * unnoticed. Paused sockets are not read, so they are exempt.
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
