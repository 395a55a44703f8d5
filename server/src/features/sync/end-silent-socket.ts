import type { WebSocket } from 'ws';

export interface SocketPulse {
  /** It has shown life otherwise than by an answer to a ping. */
  alive(): void;
}

/**
 * Pings a socket, and ends it when it has been silent for so many beats: a connection can die
 * without a word. One that is paused is not read, so nothing is expected of it.
 */
export function endWhenSilent(socket: WebSocket, beatMs: number, silentBeats: number): SocketPulse {
  let silent = 0;
  const alive = () => {
    silent = 0;
  };
  const beat = setInterval(() => {
    if (socket.isPaused) return alive();
    silent += 1;
    if (silent > silentBeats) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, beatMs);
  socket.on('pong', alive);
  socket.once('close', () => clearInterval(beat));
  return { alive };
}
