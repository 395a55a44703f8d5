import websocket from '@fastify/websocket';
import { logCloseCodes } from '@portal/contract/logs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Caller } from '../session/caller.ts';
import type { Callers } from '../session/callers.ts';
import type { Sessions } from '../session/sessions.ts';
import type { TokenCookie } from '../session/token-cookie.ts';

/** Default maximum frame size; most viewers send only one short hello. */
const defaultFrameBytes = 16 * 1024;
/** Maximum frame size of any socket; a sync configuration is the largest message. */
const maxFrameBytes = 256 * 1024;
const messageTooBig = 1009;
const maxSocketsPerUser = 50;
/** Time for a viewer to close its socket when the server shuts down. */
const closeTimeoutMs = 1_000;

export interface SocketCall {
  readonly socket: WebSocket;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  /** Aborted when the socket is closed by either side. */
  readonly signal: AbortSignal;
}

export interface SocketDependencies {
  readonly callers: Callers;
  readonly sessions: Sessions;
  readonly cookie: TokenCookie;
  readonly freshness: { readonly recheckMs: number };
}

/**
 * Enables sockets. The origin guard has already refused pages of other sites. On shutdown, every
 * socket is closed with 1001, so that viewers reconnect.
 */
export async function registerSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: maxFrameBytes, perMessageDeflate: false },
    preClose(done) {
      for (const socket of app.websocketServer.clients) {
        socket.close(logCloseCodes.goingAway, 'The server is shutting down.');
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
    /** The caller who opened the socket; set only on upgrades. */
    socketCaller?: Caller | undefined;
  }
}

/**
 * Serves a socket to signed-in callers, by cookie or HTTP Basic on the upgrade. Others, and callers
 * whose session ends, are closed with 4401, because pages can read a close code but not the status
 * of a refused upgrade. `serve` is called in the same tick as the upgrade, so that no frame is
 * missed.
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
        // Watching counts as activity, so a session stays open up to its absolute limit. While the
        // database is unavailable, the session cannot be checked; the next recheck will.
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
      socket.on('error', (error) => request.log.info({ requestId: request.id, reason: error.message }, 'socket error'));
      // The library has one limit for all sockets. Frame readers check that the socket is still
      // open.
      socket.on('message', (data) => {
        if (data instanceof Buffer && data.length > frameBytes)
          socket.close(messageTooBig, `A frame may be at most ${frameBytes / 1024} KB.`);
      });
      serve({ socket, caller, params: request.params, request, signal: closed.signal });
    },
  );
}
