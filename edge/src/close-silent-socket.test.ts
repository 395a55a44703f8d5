import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { closeWhenSilent } from './close-silent-socket.ts';

it('terminates a closing socket after one full heartbeat if its other side does not close it, too', async () => {
  const server = new WebSocketServer({ port: 0 });
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const [socket]: WebSocket[] = await once(server, 'connection');
  if (!socket) throw new Error('no socket was opened');
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  if (client.readyState !== client.OPEN) await once(client, 'open');
  client.pause();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const terminate = vi.spyOn(socket, 'terminate');

  closeWhenSilent(socket, 5_000, 6);
  vi.advanceTimersByTime(10_000);
  socket.close();
  vi.advanceTimersByTime(5_000);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(terminate).toHaveBeenCalledOnce();
});
