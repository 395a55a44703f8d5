/** The WebSocket endpoint of the service. The first frame states its purpose. */
import { type SyncSocketMessage, type SyncSocketReply, syncSocketMessageSchema } from '@portal/contract/sync/socket';
import { readFirstFrame } from '@portal/edge/first-frame';
import { readPayload } from '@portal/edge/read-payload';
import { describeToSocket, runSocket } from '@portal/edge/sockets';
import { Invalid } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import * as z from 'zod/mini';
import { appFactsSchema } from './app-facts.ts';
import { type Caller, readCaller } from './caller.ts';
import { deleteIntegration, requireIntegration } from './delete-integration.ts';
import { InvalidFields } from './invalid-fields.ts';
import { rejectDisabled, serveLogSession } from './log-session.ts';
import type { LogTails } from './log-tails.ts';
import { saveIntegration } from './save-integration.ts';
import { serviceWords } from './service-words.ts';
import type { ApiParts } from './sync-router.ts';

const firstFrameTimeoutMs = 10_000;

/** What the server adds to a MERGE. */
const mergeFacts = z.looseObject({ app: appFactsSchema, dataSource: z.nullable(z.string()) });

export function syncSocket(app: FastifyInstance, parts: ApiParts & { readonly tails: LogTails }): void {
  app.get('/ws', { websocket: true }, (socket, request) =>
    runSocket(socket, request, serviceWords, (signal) => handleFirstFrame(parts, socket, request, signal)),
  );
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
    reply(socket, {
      value: describeToSocket(request, error, serviceWords).message,
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
  const { app, dataSource } = readPayload(mergeFacts, sent);
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
