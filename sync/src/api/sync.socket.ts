/** The WebSocket endpoint of the service. The first frame states its purpose. */
import websocket from '@fastify/websocket';
import { logCloseCodes } from '@portal/contract/logs';
import { type SyncSocketMessage, type SyncSocketReply, syncSocketMessageSchema } from '@portal/contract/sync-socket';
import { parseBoundedJson } from '@portal/kit/bounded-json';
import { toCloseReason } from '@portal/kit/close-reason';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import * as z from 'zod/mini';
import { type Caller, readCaller } from './caller.ts';
import { deleteIntegration, requireIntegration } from './delete-integration.ts';
import { rejectDisabled, serveLogSession } from './log-session.ts';
import type { LogTails } from './log-tails.ts';
import { parsePayload } from './route.ts';
import { saveIntegration } from './save-integration.ts';
import { describeProblem, InvalidFields } from './send-problems.ts';
import { type ApiParts, appFactsSchema } from './sync.routes.ts';

const maxFrameBytes = 300 * 1024;
const firstFrameTimeoutMs = 10_000;
const closeTimeoutMs = 1_000;

/** What the server adds to a MERGE. */
const mergeFacts = z.object({ app: appFactsSchema, dataSource: z.nullable(z.string()) });

export async function allowSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: maxFrameBytes, perMessageDeflate: false },
    preClose(done) {
      for (const socket of app.websocketServer.clients) {
        socket.close(logCloseCodes.goingAway, 'The sync service is shutting down.');
        const timer = setTimeout(() => socket.terminate(), closeTimeoutMs);
        socket.once('close', () => clearTimeout(timer));
      }
      app.websocketServer.close();
      done();
    },
  });
}

export function syncSocket(app: FastifyInstance, parts: ApiParts & { readonly tails: LogTails }): void {
  app.get('/ws', { websocket: true }, (socket, request) => {
    const closed = new AbortController();
    socket.once('close', () => closed.abort());
    socket.on('error', (error) =>
      request.log.info({ requestId: request.id, reason: error.message }, 'a socket failed'),
    );
    const timer = setTimeout(
      () => socket.close(logCloseCodes.badFrame, 'The first frame did not arrive in time.'),
      firstFrameTimeoutMs,
    );
    socket.once('close', () => clearTimeout(timer));
    socket.once('message', (frame) => {
      clearTimeout(timer);
      handleFirstFrame(parts, socket, request, String(frame), closed.signal).catch((error: unknown) =>
        closeWithProblem(socket, request, error),
      );
    });
  });
}

async function handleFirstFrame(
  parts: ApiParts & { readonly tails: LogTails },
  socket: WebSocket,
  request: FastifyRequest,
  frame: string,
  signal: AbortSignal,
): Promise<void> {
  const caller = readCaller(request);
  const sent = parseBoundedJson(frame, 'The first frame');
  const message = syncSocketMessageSchema.safeParse(sent);
  if (!message.success) return socket.close(logCloseCodes.badFrame, 'The first frame is not a known message.');
  if (message.data.type === 'LOG_SESSION') return openLogSession(parts, socket, caller, message.data, signal);
  try {
    const value = await runCommand(parts, caller, message.data, sent);
    reply(socket, { value });
  } catch (error) {
    const { message: value, isBug } = describeProblem(error);
    if (isBug) request.log.error({ requestId: request.id, err: error }, 'unexpected error');
    reply(socket, {
      value: isBug ? `${value} Request id ${request.id}.` : value,
      failed: true,
      ...(error instanceof InvalidFields && { problems: [...error.problems] }),
    });
  }
}

/**
 * Runs a MERGE or DESTROY. It continues when the socket closes: the result is visible in the list.
 */
function runCommand(
  parts: ApiParts,
  caller: Caller,
  message: Exclude<SyncSocketMessage, { type: 'LOG_SESSION' }>,
  sent: unknown,
): Promise<string> {
  const { appId } = message;
  if (message.type === 'DESTROY') return deleteIntegration(parts, caller, appId);
  const { app, dataSource } = parsePayload(mergeFacts, sent);
  if (app.id !== appId) throw new InvalidFields([{ field: 'appId', reason: `is not the app ${app.id}` }]);
  const saveRequest = { caller, app, dataSource, config: message.config };
  return saveIntegration(parts, saveRequest, AbortSignal.timeout(50_000));
}

async function openLogSession(
  parts: ApiParts & { readonly tails: LogTails },
  socket: WebSocket,
  caller: Caller,
  { appId, batch = false, after }: Extract<SyncSocketMessage, { type: 'LOG_SESSION' }>,
  signal: AbortSignal,
): Promise<void> {
  const { id, status } = await requireIntegration(parts, caller, appId);
  if (status === 'Disabled') return rejectDisabled(socket);
  const { pool, tails } = parts;
  await serveLogSession({ socket, pool, tails, id, batch, after, signal });
}

function reply(socket: WebSocket, message: SyncSocketReply): void {
  socket.send(JSON.stringify(message));
  socket.close(1000);
}

/** Closes the socket with the problem when no reply is possible. */
function closeWithProblem(socket: WebSocket, request: FastifyRequest, error: unknown): void {
  const { status, message, isBug } = describeProblem(error);
  if (isBug) request.log.error({ requestId: request.id, err: error }, 'unexpected error');
  const codes: Readonly<Record<number, number>> = {
    400: logCloseCodes.badFrame,
    404: logCloseCodes.unknownApp,
    500: logCloseCodes.bug,
  };
  socket.close(codes[status] ?? logCloseCodes.tryLater, toCloseReason(message));
}
