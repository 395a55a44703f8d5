import type { WebSocket } from 'ws';

export interface SocketActivity {
  /** Reports activity other than a pong. */
  markActive(): void;
}

/**
 * Pings a socket and terminates it after this many silent heartbeats, because a connection can die
 * unnoticed. Paused sockets are not read, so they are exempt. A closing socket has one full
 * heartbeat for its other side to close it, too. `onBeat` is called before each ping.
 */
export function closeWhenSilent(
  socket: WebSocket,
  heartbeatMs: number,
  silentHeartbeats: number,
  onBeat: () => void = () => undefined,
): SocketActivity {
  let silent = 0;
  let isClosing = false;
  const markActive = () => {
    silent = 0;
  };
  const heartbeat = setInterval(() => {
    // It may have closed before this was called.
    if (socket.readyState === socket.CLOSED) return clearInterval(heartbeat);
    if (socket.isPaused) return markActive();
    silent += 1;
    if (isClosing || silent > silentHeartbeats) return socket.terminate();
    isClosing = socket.readyState === socket.CLOSING;
    if (socket.readyState !== socket.OPEN) return;
    onBeat();
    socket.ping();
  }, heartbeatMs);
  socket.on('pong', markActive);
  socket.once('close', () => clearInterval(heartbeat));
  return { markActive };
}
