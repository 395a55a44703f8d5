import type { WebSocket } from 'ws';

export interface SocketActivity {
  /** Reports activity other than a pong. */
  markActive(): void;
}

/**
 * Pings a socket and terminates it after this many silent heartbeats, because a connection can die
 * unnoticed. Paused sockets are not read, so they are exempt. `onBeat` is called before each ping.
 */
export function closeWhenSilent(
  socket: WebSocket,
  heartbeatMs: number,
  silentHeartbeats: number,
  onBeat: () => void = () => undefined,
): SocketActivity {
  let silent = 0;
  const markActive = () => {
    silent = 0;
  };
  const heartbeat = setInterval(() => {
    // It may have closed before this was called.
    if (socket.readyState === socket.CLOSED) return clearInterval(heartbeat);
    if (socket.isPaused) return markActive();
    silent += 1;
    if (silent > silentHeartbeats) return socket.terminate();
    if (socket.readyState !== socket.OPEN) return;
    onBeat();
    socket.ping();
  }, heartbeatMs);
  socket.on('pong', markActive);
  socket.once('close', () => clearInterval(heartbeat));
  return { markActive };
}
