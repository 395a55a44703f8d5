import type { Server } from 'node:http';
import websocket from '@fastify/websocket';
import { logCloseCodes } from '@portal/contract/logs';
import { toCloseReason } from '@portal/kit/close-reason';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { describeProblem, type ProblemDescription, type ServiceWords } from './describe-problem.ts';

interface SocketOptions {
  readonly maxFrameBytes: number;
  /** Emits the upgrades; the app's own server by default. */
  readonly server?: Server;
}

/**
 * Enables sockets. On shutdown, every socket is closed with 1001, so that its other side
 * reconnects.
 */
export async function allowSockets(
  app: FastifyInstance,
  { name }: ServiceWords,
  { maxFrameBytes, ...options }: SocketOptions,
): Promise<void> {
  await app.register(websocket, {
    options: { ...options, maxPayload: maxFrameBytes, perMessageDeflate: false },
    preClose(done) {
      const { clients } = app.websocketServer;
      for (const socket of clients) closeOrTerminate(socket, logCloseCodes.goingAway, `${name} is shutting down.`);
      app.websocketServer.close();
      done();
    },
  });
}

/**
 * Serves a socket until it closes, which aborts the signal. Closes it with the code and the message
 * of a problem that is thrown.
 */
export function runSocket(
  socket: WebSocket,
  request: FastifyRequest,
  words: ServiceWords,
  serve: (signal: AbortSignal) => Promise<void>,
): void {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  socket.on('error', ({ message }) => request.log.info({ requestId: request.id, reason: message }, 'socket error'));
  serve(closed.signal).catch((error: unknown) => {
    if (!closed.signal.aborted) closeWith(socket, describeToSocket(request, error, words));
  });
}

/** Describes an error to the other side of a socket. The details of a bug go to the log. */
export function describeToSocket(
  { id: requestId, log }: FastifyRequest,
  error: unknown,
  words: ServiceWords,
): ProblemDescription {
  const problem = describeProblem(error, words);
  if (problem.status !== 500) return problem;
  log.error({ requestId, err: error }, 'unexpected error');
  return { ...problem, message: `${problem.message} Request id ${requestId}.` };
}

/** Time for the other side to close its socket, too. */
const closeTimeoutMs = 1_000;

/** Closes a socket, and terminates it if the other side does not close it in time. */
export function closeOrTerminate(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const timeout = setTimeout(() => socket.terminate(), closeTimeoutMs);
  socket.once('close', () => clearTimeout(timeout));
}

const codes: Readonly<Record<number, number>> = {
  400: logCloseCodes.badFrame,
  // Callers without a session never get here, so it is the platform that rejects the credentials.
  401: logCloseCodes.platformRefused,
  403: logCloseCodes.refused,
  404: logCloseCodes.unknownApp,
  409: logCloseCodes.refused,
  500: logCloseCodes.bug,
};

/** Closes a socket with the code and message of a problem. */
export function closeWith(socket: WebSocket, problem: { readonly status: number; readonly message: string }): void {
  socket.close(codes[problem.status] ?? logCloseCodes.tryLater, toCloseReason(problem.message));
}
