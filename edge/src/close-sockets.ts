import { logCloseCodes } from '@portal/contract/logs';
import type { WebSocket, WebSocketServer } from 'ws';

/** Time for the other side to close its socket, too. */
const closeTimeoutMs = 1_000;

/** Closes a socket, and terminates it if the other side does not close it in time. */
export function closeOrTerminate(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const timeout = setTimeout(() => socket.terminate(), closeTimeoutMs);
  socket.once('close', () => clearTimeout(timeout));
}

/** Closes every socket with 1001 on shutdown, so that its other side reconnects. */
export function closeSockets(server: WebSocketServer, reason: string): void {
  for (const socket of server.clients) closeOrTerminate(socket, logCloseCodes.goingAway, reason);
  server.close();
}
