import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';

/** Everything received on a socket, and how it was closed. */
export interface SocketRecording {
  readonly frames: unknown[];
  readonly code: number;
  readonly reason: string;
}

/** Opens a socket, sends `first`, and records everything until it closes. */
export async function watch(url: string, first: unknown, options: ClientOptions = {}): Promise<SocketRecording> {
  const socket = new WebSocket(url, options);
  const frames: unknown[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(data.toString())));
  socket.on('open', () => socket.send(typeof first === 'string' ? first : JSON.stringify(first)));
  const [code, reason] = await once(socket, 'close');
  return { frames, code, reason: String(reason) };
}
