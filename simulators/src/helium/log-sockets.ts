/**
 * Handles the upgrades of live log sockets: Basic auth, a visible app, and then log records only.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { heliumPaths } from '@portal/platforms/helium/wire';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Fault, Faults } from '../kit/faults.ts';
import { getPath, htmlPage } from '../kit/http-server.ts';
import { TextError } from '../kit/plain-text-errors.ts';
import { authenticate } from './access.ts';
import { findApp, type Platform } from './platform-routes.ts';

const pingEveryMs = 30_000;

interface LogSockets {
  close(): void;
}

export function serveLogSockets(server: Server, platform: Platform, faults: Faults): LogSockets {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const hanging = new Set<Duplex>();

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const fault = faults.consume('GET', getPath(request));
    if (fault?.mode === 'delay') {
      setTimeout(() => open(request, socket, head), fault.delayMs ?? 0).unref();
    } else if (fault !== undefined) {
      hanging.add(socket);
      socket.once('close', () => hanging.delete(socket));
      injectFault(socket, fault);
    } else {
      open(request, socket, head);
    }
  });

  const open = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    try {
      const url = new URL(request.url ?? '/', 'http://helium');
      if (url.pathname !== heliumPaths.logging) throw new TextError(404, 'This address does not exist.');
      const user = authenticate(platform.definition, request.headers.authorization);
      if (user === undefined) throw new TextError(401, '');
      const app = findApp(platform.apps, user, url.searchParams.get('appId') ?? '');
      sockets.handleUpgrade(request, socket, head, (client) => {
        keepAlive(client);
        app.feed.attach(socket);
      });
    } catch (error) {
      const textError = error instanceof TextError ? error : new TextError(500, 'java.lang.IllegalStateException');
      refuse(socket, textError.status, textError.message);
    }
  };

  return {
    close() {
      for (const client of sockets.clients) client.terminate();
      for (const socket of hanging) socket.destroy();
      sockets.close();
    },
  };
}

function keepAlive(client: WebSocket): void {
  const timer = setInterval(() => client.ping(), pingEveryMs);
  timer.unref();
  client.once('close', () => clearInterval(timer));
  client.on('error', () => client.terminate());
}

function injectFault(socket: Duplex, { mode, status }: Fault): void {
  if (mode === 'html') refuse(socket, status ?? 200, htmlPage, 'text/html');
  else if (mode === 'error500') refuse(socket, status ?? 500, 'java.lang.NullPointerException');
  else if (mode === 'half-body') socket.end('HTTP/1.1 101 Switching Pro');
  else if (mode !== 'hang') socket.destroy();
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
};

function refuse(socket: Duplex, status: number, body: string, type = 'text/plain'): void {
  const lines = [
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Internal Server Error'}`,
    ...(status === 401 ? ['WWW-Authenticate: Basic realm="Helium"'] : []),
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
