import websocket from '@fastify/websocket';
import { logCloseCodes } from '@portal/contract/logs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Caller } from '../session/caller.ts';
import type { Callers } from '../session/callers.ts';
import type { SessionCookie } from '../session/session-cookie.ts';
import type { Sessions } from '../session/sessions.ts';

/** How large a frame a viewer may send: most only ever send one short hello. */
const defaultFrameBytes = 16 * 1024;
/** Of any socket: a sync configuration is the largest thing there is to say. */
const maxFrameBytes = 256 * 1024;
const messageTooBig = 1009;
const maxSocketsPerUser = 50;
/** How long a viewer may take to answer the closing of its socket when the server goes down. */
const closeTimeoutMs = 1_000;

export interface SocketCall {
  readonly socket: WebSocket;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  /** Aborted when the socket is closed, by whomever. */
  readonly signal: AbortSignal;
}

export interface SocketDependencies {
  readonly callers: Callers;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly freshness: { readonly recheckMs: number };
}

/**
 * Lets sockets in. The guard of unsafe calls has refused other sites' pages before any of this.
 * When the server goes down every socket is closed with 1001, so that viewers know to come back.
 */
export async function registerSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: maxFrameBytes, perMessageDeflate: false },
    preClose(done) {
      for (const socket of app.websocketServer.clients) {
        socket.close(logCloseCodes.goingAway, 'The server goes down.');
        const timeout = setTimeout(() => socket.terminate(), closeTimeoutMs);
        socket.once('close', () => clearTimeout(timeout));
      }
      app.websocketServer.close();
      done();
    },
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who opened the socket; only set on upgrades. */
    socketCaller?: Caller | undefined;
  }
}

/**
 * Serves a socket to those who are signed in, by cookie or HTTP Basic at the upgrade. Others, and
 * those whose session ends while it is open, are closed with 4401: pages cannot read the status of
 * a refused upgrade, but can read a code. `serve` is called in the same turn as the upgrade, so
 * that no frame is missed.
 */
export function serveSocket(
  app: FastifyInstance,
  { callers, sessions, cookie, freshness }: SocketDependencies,
  path: string,
  serve: (call: SocketCall) => void,
  { frameBytes = defaultFrameBytes }: { readonly frameBytes?: number } = {},
): void {
  const openSockets = new Map<string, number>();

  app.get<{ Params: Record<string, string> }>(
    path,
    {
      websocket: true,
      async preValidation(request) {
        request.socketCaller = await callers.find(request);
      },
    },
    (socket, request) => {
      const caller = request.socketCaller;
      if (!caller) return socket.close(logCloseCodes.notSignedIn, 'You are not signed in, or your session has ended.');
      const user = `${caller.environment.name} ${caller.username}`;
      const open = openSockets.get(user) ?? 0;
      if (open >= maxSocketsPerUser) return socket.close(logCloseCodes.tooMany, 'You have too many streams open.');
      openSockets.set(user, open + 1);

      const closed = new AbortController();
      const end = () => socket.close(logCloseCodes.notSignedIn, 'Your session has ended.');
      const stopListening = sessions.onEnd((sessionId) => sessionId === caller.sessionId && end());
      const token = cookie.read(request);
      const recheck = setInterval(() => {
        if (caller.sessionId === null || token === undefined) return;
        // Watching is use: whoever follows a log is not signed out for sitting still, up to the
        // session's absolute end. While the database is away nobody can say; the next look will.
        sessions.find(token, { fresh: true }).then(
          (session) => session || end(),
          () => undefined,
        );
      }, freshness.recheckMs);
      socket.once('close', () => {
        clearInterval(recheck);
        stopListening();
        const left = (openSockets.get(user) ?? 1) - 1;
        if (left > 0) openSockets.set(user, left);
        else openSockets.delete(user);
        closed.abort();
      });
      socket.on('error', (error) =>
        request.log.info({ requestId: request.id, reason: error.message }, 'a socket failed'),
      );
      // The library's own limit is one for all sockets. Whoever reads frames sees that the socket
      // is no longer open.
      socket.on('message', (data) => {
        if (data instanceof Buffer && data.length > frameBytes)
          socket.close(messageTooBig, `A frame may have ${frameBytes / 1024} KB at most.`);
      });
      serve({ socket, caller, params: request.params, request, signal: closed.signal });
    },
  );
}
