import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws';
import { closeWhenSilent } from './close-silent-socket.ts';

interface Pair {
  readonly client: WebSocket;
  readonly socket: WebSocket;
  readonly terminate: MockInstance;
}

/** Opens a connection, and replaces the clock of its heartbeats. */
async function connect(options: ClientOptions = {}): Promise<Pair> {
  const server = new WebSocketServer({ port: 0 });
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, options);
  const [socket]: WebSocket[] = await once(server, 'connection');
  if (!socket) throw new Error('no socket was opened');
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  if (client.readyState !== client.OPEN) await once(client, 'open');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  return { client, socket, terminate: vi.spyOn(socket, 'terminate') };
}

it('keeps a socket open whose other side responds', async () => {
  const { socket, terminate } = await connect();
  closeWhenSilent(socket, 5_000, 3);
  for (let beats = 0; beats < 10; beats += 1) {
    const isAnswered = once(socket, 'pong');
    vi.advanceTimersByTime(5_000);
    await isAnswered;
  }
  expect(terminate).not.toHaveBeenCalled();
});

it('terminates a socket after its other side was silent for all heartbeats', async () => {
  const { socket, terminate } = await connect({ autoPong: false });
  closeWhenSilent(socket, 5_000, 3);
  vi.advanceTimersByTime(15_000);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(terminate).toHaveBeenCalledOnce();
});

it('terminates a closing socket after one full heartbeat if its other side does not close it, too', async () => {
  const { client, socket, terminate } = await connect();
  client.pause();

  closeWhenSilent(socket, 5_000, 6);
  vi.advanceTimersByTime(10_000);
  socket.close();
  vi.advanceTimersByTime(5_000);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(terminate).toHaveBeenCalledOnce();
});
