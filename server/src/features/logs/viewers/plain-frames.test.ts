import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LogLine } from '@portal/contract/logs';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createChunk } from '../ring/ring-chunk.ts';
import { PlainFrames } from './plain-frames.ts';

test('a WebSocket library reads frames of all lengths and scripts as they were written', async () => {
  const values = ['', 'x', 'é', 'x'.repeat(80), '日本 🌾'.repeat(10), 'line\n\t"quoted" \\ \u0007 \ud800']
    .concat(
      [85, 86, 87, 88, 21_000, 65_490, 65_500, 65_510].flatMap((length) => ['x'.repeat(length), 'é'.repeat(length)]),
    )
    .concat('🌾'.repeat(50_000));
  const lines = values.map((value, index): LogLine => [index, index % 2 === 0 ? 'INFO' : 'Runtime Error', value]);

  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on('connection', (_, request) => request.socket.write(new PlainFrames().get(createChunk(1, lines))));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const viewer = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const received: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    viewer.on('error', reject);
    viewer.on('message', (data, isBinary) => {
      received.push(isBinary ? 'binary' : JSON.parse(data.toString()));
      if (received.length === lines.length) resolve();
    });
  });
  viewer.terminate();
  sockets.close();
  http.close();
  expect(received).toEqual(lines.map(([millis, key, value]) => ({ millis, key, value })));
});

test('frames of a chunk are encoded once for all viewers', () => {
  const frames = new PlainFrames();
  const chunk = createChunk(1, [[1, 'INFO', 'a']]);
  expect(frames.get(chunk)).toBe(frames.get(chunk));
});
