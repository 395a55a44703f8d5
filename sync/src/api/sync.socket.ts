/** The WebSocket endpoint of the service. The first frame states its purpose. */
import websocket from '@fastify/websocket';
import { type SyncSocketMessage, type SyncSocketReply, syncSocketMessageSchema } from '@portal/contract/sync-socket';
import { closeSockets } from '@portal/edge/close-sockets';
import { closeWith } from '@portal/edge/close-with';
import { describeProblem, type ProblemDescription } from '@portal/edge/describe-problem';
import { readFirstFrame } from '@portal/edge/first-frame';
import { Invalid } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import * as z from 'zod/mini';
import { type Caller, readCaller } from './caller.ts';
import { deleteIntegration, requireIntegration } from './delete-integration.ts';
import { InvalidFields } from './invalid-fields.ts';
import { rejectDisabled, serveLogSession } from './log-session.ts';
import type { LogTails } from './log-tails.ts';
import { parsePayload } from './route.ts';
import { saveIntegration } from './save-integration.ts';
import { serviceWords } from './service-words.ts';
import { type ApiParts, appFactsSchema } from './sync.routes.ts';

const maxFrameBytes = 300 * 1024;
const firstFrameTimeoutMs = 10_000;

/** What the server adds to a MERGE. */
const mergeFacts = z.object({ app: appFactsSchema, dataSource: z.nullable(z.string()) });

export async function allowSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: maxFrameBytes, perMessageDeflate: false },
    preClose(done) {
      closeSockets(app.websocketServer, 'The sync service is shutting down.');
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
    handleFirstFrame(parts, socket, request, closed.signal).catch((error: unknown) => {
      if (!closed.signal.aborted) closeWith(socket, describeError(request, error));
    });
  });
}

async function handleFirstFrame(
  parts: ApiParts & { readonly tails: LogTails },
  socket: WebSocket,
  request: FastifyRequest,
  signal: AbortSignal,
): Promise<void> {
  // The schema of a message would drop what the server adds to a MERGE.
  const sent = await readFirstFrame(socket, z.looseObject({}), { timeoutMs: firstFrameTimeoutMs, signal });
  const caller = readCaller(request);
  const message = syncSocketMessageSchema.safeParse(sent);
  if (!message.success) throw new Invalid('The first frame is not a known message.');
  if (message.data.type === 'LOG_SESSION') return openLogSession(parts, socket, caller, message.data, signal);
  try {
    const value = await runCommand(parts, caller, message.data, sent);
    reply(socket, { value });
  } catch (error) {
    const { message: value, status } = describeError(request, error);
    reply(socket, {
      value: status === 500 ? `${value} Request id ${request.id}.` : value,
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

/** Describes an error to the other side. The details of a bug go to the log. */
function describeError({ id: requestId, log }: FastifyRequest, error: unknown): ProblemDescription {
  const problem = describeProblem(error, serviceWords);
  if (problem.status === 500) log.error({ requestId, err: error }, 'unexpected error');
  return problem;
}
