import { logCloseCodes } from '@portal/contract/logs';
import { getSyncSocketPaths, type SyncBase, syncBases } from '@portal/contract/sync-base';
import { type SyncSocketReply, syncSocketMessageSchema } from '@portal/contract/sync-socket';
import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid, Problem, Unreachable } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import { requireApp } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { closeWith } from '../../http/close-with.ts';
import { readFirstFrame } from '../../http/first-frame.ts';
import { type SocketCall, serveSocket } from '../../http/socket.ts';
import { type Change, changeIntegration } from './change-integration.ts';
import { relayFrames } from './relay-frames.ts';
import { FailedReply } from './request-reply.ts';
import { requireBase } from './require-base.ts';
import { defaultSyncSocketLimits, type SyncSocketLimits } from './sync-socket-limits.ts';

/**
 * The sync service's socket at its three bases, each with its alias: spoken as the contract says.
 */
export function syncSockets(
  app: FastifyInstance,
  dependencies: Dependencies,
  limits: SyncSocketLimits = defaultSyncSocketLimits,
): void {
  const { logger } = dependencies;
  const { frameBytes } = limits;
  for (const base of syncBases) {
    const onCall = (call: SocketCall) => {
      serve(dependencies, limits, base, call).catch((error: unknown) => {
        if (error instanceof Problem) return closeWith(call.socket, error);
        if (call.signal.aborted) return;
        logger.error({ err: error, requestId: call.request.id }, 'a bug');
        call.socket.close(logCloseCodes.bug, `Something went wrong in the portal. Request id ${call.request.id}`);
      });
    };
    for (const path of getSyncSocketPaths(base)) serveSocket(app, dependencies, path, onCall, { frameBytes });
  }
}

async function serve(
  dependencies: Dependencies,
  limits: SyncSocketLimits,
  base: SyncBase,
  { socket, caller, signal }: SocketCall,
): Promise<void> {
  const { permissions, syncService } = dependencies;
  const message = await readFirstFrame(socket, syncSocketMessageSchema, { timeoutMs: limits.firstFrameMs, signal });
  if (!isStorable(message)) throw new Invalid('A text in the first frame holds characters that are none.');
  // Each frame would have to be judged anew, and nobody has a second thing to say.
  socket.on('message', () => closeWith(socket, new Invalid('After the first frame nothing more is taken.')));
  if (message.type !== 'LOG_SESSION') return change(message);

  const authorize = async () => {
    requireBase(caller, base);
    await permissions.require(caller, 'sync.view', message.appId);
    await requireApp(caller, message.appId);
  };
  await authorize();
  const { config: _, ...first } = message;
  relayFrames(socket, syncService.connect(caller), JSON.stringify(first), limits);
  const recheck = setInterval(() => {
    authorize().catch((error: unknown) => {
      // While the platform is away nobody can say; the next look will.
      if (error instanceof Problem && !(error instanceof Unreachable)) closeWith(socket, error);
    });
  }, limits.recheckMs);
  signal.addEventListener('abort', () => clearInterval(recheck), { once: true });
  if (signal.aborted) clearInterval(recheck);

  /** Whatever comes of it is a reply: pages show those. */
  async function change(requested: Change): Promise<void> {
    try {
      requireBase(caller, base);
      reply(await changeIntegration(dependencies, caller, requested, limits.replyMs));
      socket.close(1000);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      reply(error instanceof FailedReply ? error.reply : { value: error.message, failed: true });
      if (error instanceof FailedReply) socket.close(1000);
      else throw error;
    }
  }

  function reply(frame: SyncSocketReply): void {
    socket.send(JSON.stringify(frame));
  }
}
