import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { readChildArgument, serveParent } from './inside-child.ts';

/**
 * The peer of the benchmark `logs`: the minimal cost of a log relay. It forwards each frame of one
 * upstream to every viewer, without numbering, buffering, sessions or authorization.
 */
const { upstream, authorization } = readChildArgument<{ upstream: string; authorization: string }>();

const viewers = new Set<WebSocket>();
let source: WebSocket | null = null;

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (viewer) => {
  viewers.add(viewer);
  viewer.on('close', () => {
    viewers.delete(viewer);
    if (viewers.size > 0) return;
    source?.terminate();
    source = null;
  });
  source ??= openSource();
});

function openSource(): WebSocket {
  const socket = new WebSocket(upstream, { headers: { authorization }, perMessageDeflate: false });
  socket.on('message', (bytes) => {
    for (const viewer of viewers) viewer.send(bytes, { binary: false });
  });
  return socket;
}

server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  serveParent({ url: `ws://127.0.0.1:${port}/` });
});
