import { logCloseCodes } from '@portal/contract/logs';
import { allowSockets, closeOrTerminate, runSocket } from '@portal/edge/sockets';
import { NotFound, NotSignedIn, TooMany } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { toNetwork } from '../client-network.ts';
import { readBasicCredentials } from '../session/basic-credentials.ts';
import type { Caller } from '../session/caller.ts';
import type { Callers } from '../session/callers.ts';
import type { Sessions } from '../session/sessions.ts';
import type { TokenCookie } from '../session/token-cookie.ts';
import { paceUpgrades } from './pace-upgrades.ts';
import { Places } from './places.ts';
import { portalWords } from './portal-words.ts';

/** Default maximum frame size; most viewers send only one short hello. */
const defaultFrameBytes = 16 * 1024;
/** Maximum frame size of any socket; a sync configuration is the largest message. */
const maxFrameBytes = 256 * 1024;
const messageTooBig = 1009;
/** On this server, over all paths. */
const maxSocketsPerUser = 50;
/**
 * Upgrades whose caller is not known yet, and sockets that are being refused. A user whose sockets
 * all reconnect at once needs as many as there are sockets.
 */
const maxUpgradesPerAddress = 100;

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
}

/**
 * Enables sockets. The origin guard has already refused pages of other sites. Upgrades at paths
 * without a socket are not carried out.
 */
export async function registerSockets(app: FastifyInstance): Promise<void> {
  await allowSockets(app, portalWords, { server: paceUpgrades(app.server), maxFrameBytes });
  app.decorate('socketPlaces', {
    upgrades: new Places(maxUpgradesPerAddress),
    sockets: new Places(maxSocketsPerUser),
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const hasSocket = request.is404 || request.routeOptions.config.hasSocket === true;
    if (!request.ws || hasSocket) done();
    else done(new NotFound('There is no socket at this address.'));
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts over all paths: `upgrades` by address, `sockets` by user. */
    socketPlaces: { readonly upgrades: Places; readonly sockets: Places };
  }
  interface FastifyContextConfig {
    hasSocket?: boolean;
  }
  interface FastifyRequest {
    /** The caller who opened the socket; set only on upgrades. */
    socketCaller?: Caller | undefined;
    /** Gives the upgrade's place back; set only on upgrades. */
    endUpgrade?: () => void;
  }
}

/**
 * Serves a socket to signed-in callers, by cookie or HTTP Basic on the upgrade. An upgrade without
 * either is refused with 401. Callers whose session has ended, or ends later, are closed with 4401,
 * because pages can read a close code but not the status of a refused upgrade. `serve` is called in
 * the same tick as the upgrade, so that no frame is missed.
 */
export function serveSocket(
  app: FastifyInstance,
  { callers, sessions, cookie }: SocketDependencies,
  path: string,
  serve: (call: SocketCall) => Promise<void>,
  { frameBytes = defaultFrameBytes }: { readonly frameBytes?: number } = {},
): void {
  const { upgrades, sockets } = app.socketPlaces;

  app.get<{ Params: Record<string, string> }>(
    path,
    {
      websocket: true,
      config: { hasSocket: true },
      async onRequest(request) {
        if (!request.ws) return;
        if (cookie.read(request) === undefined && readBasicCredentials(request) === undefined)
          throw new NotSignedIn('You are not signed in.');
        const endUpgrade = upgrades.take(toNetwork(request.ip));
        if (!endUpgrade) throw new TooMany('Too many sockets are opening from your address. Try again in a second.', 1);
        const { socket } = request.raw;
        socket.once('close', endUpgrade);
        // A connection that closed in the meantime emits no more events.
        if (socket.destroyed) endUpgrade();
        request.endUpgrade = endUpgrade;
        request.socketCaller = await callers.find(request);
      },
    },
    (socket, request) => {
      const caller = request.socketCaller;
      if (!caller) {
        closeOrTerminate(socket, logCloseCodes.notSignedIn, 'You are not signed in, or your session has ended.');
        return;
      }
      const endSocket = sockets.take(`${caller.environment.name} ${caller.username}`);
      if (!endSocket) return closeOrTerminate(socket, logCloseCodes.tooMany, 'You have too many streams open.');
      request.endUpgrade?.();

      const end = () => socket.close(logCloseCodes.notSignedIn, 'Your session has ended.');
      const stopListening = sessions.onEnd((sessionId) => sessionId === caller.sessionId && end());
      const stopWatching = caller.sessionId === null ? undefined : sessions.watch(caller.sessionId);
      socket.once('close', () => {
        stopListening();
        stopWatching?.();
        endSocket();
      });
      // The library has one limit for all sockets. Frame readers check that the socket is still
      // open.
      socket.on('message', (data) => {
        if (data instanceof Buffer && data.length > frameBytes)
          socket.close(messageTooBig, `A frame may be at most ${frameBytes / 1024} KB.`);
      });
      runSocket(socket, request, portalWords, (signal) =>
        serve({ socket, caller, params: request.params, request, signal }),
      );
    },
  );
}
