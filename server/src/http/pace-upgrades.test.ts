import { createServer, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { paceUpgrades } from './pace-upgrades.ts';

/** Emits an upgrade as Node does, and returns its socket. */
function upgrade(server: ReturnType<typeof createServer>, url = '/'): Socket {
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  request.url = url;
  server.emit('upgrade', request, socket, Buffer.alloc(0));
  return socket;
}

it('forwards the upgrades of one turn of the event loop in several turns, in their order', async () => {
  const server = createServer();
  const forwarded: { url: string; turn: number }[] = [];
  let turn = 0;
  paceUpgrades(server).on('upgrade', ({ url = '' }) => forwarded.push({ url, turn }));
  const urls = Array.from({ length: 35 }, (_, at) => `/${at}`);
  for (const url of urls) upgrade(server, url);
  expect(forwarded).toEqual([]);
  for (turn = 1; forwarded.length < urls.length; turn++) await setImmediate();
  expect(forwarded.map(({ url }) => url)).toEqual(urls);
  const perTurn = new Map(forwarded.map(({ turn }) => [turn, forwarded.filter((other) => other.turn === turn).length]));
  expect([...perTurn.values()]).toEqual([10, 10, 10, 5]);
  upgrade(server, '/later');
  while (forwarded.length === urls.length) await setImmediate();
  expect(forwarded.at(-1)?.url).toBe('/later');
});

it('leaves out an upgrade whose connection fails while it waits', async () => {
  const server = createServer();
  const forwarded: (string | undefined)[] = [];
  paceUpgrades(server).on('upgrade', ({ url }, socket) => {
    forwarded.push(url);
    expect(socket.listenerCount('error')).toBe(0);
  });
  upgrade(server, '/failing').emit('error', new Error('The connection was reset.'));
  upgrade(server, '/other');
  while (forwarded.length === 0) await setImmediate();
  expect(forwarded).toEqual(['/other']);
});
