import { logCloseCodes } from '@portal/contract/logs';
import { getSyncSocketPaths, type SyncBase, syncBases } from '@portal/contract/sync-base';
import { type SyncSocketReply, syncSocketMessageSchema } from '@portal/contract/sync-socket';
import { closeWith } from '@portal/edge/close-with';
import { readFirstFrame } from '@portal/edge/first-frame';
import { Invalid, Problem, Unreachable } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import { requireApp } from '../../access/app-access.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type SocketCall, serveSocket } from '../../http/socket.ts';
import { type Change, changeIntegration } from './change-integration.ts';
import { relayFrames } from './relay-frames.ts';
import { FailedReply } from './request-reply.ts';
import { requireBase } from './require-base.ts';
import { defaultSyncSocketLimits, type SyncSocketLimits } from './sync-socket-limits.ts';

/**
 * Serves the sync service's socket at its three bases and their aliases, as the contract describes.
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
        logger.error({ err: error, requestId: call.request.id }, 'unexpected error');
        call.socket.close(logCloseCodes.bug, `Internal error. Request id ${call.request.id}`);
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
  // Further frames would need their own authorization, and no client sends any.
  socket.on('message', () => closeWith(socket, new Invalid('Only one frame may be sent.')));
  if (message.type !== 'LOG_SESSION') return change(message);

  const authorize = async () => {
    requireBase(caller, base);
    await permissions.require(caller, 'sync.view', message.appId);
    await requireApp(caller, message.appId, 'sync.view');
  };
  await authorize();
  relayFrames(socket, syncService.connect(caller), JSON.stringify(message), limits);
  const recheck = setInterval(() => {
    authorize().catch((error: unknown) => {
      // While the platform is unreachable, access cannot be checked; the next recheck will.
      if (error instanceof Problem && !(error instanceof Unreachable)) closeWith(socket, error);
    });
  }, limits.recheckMs);
  signal.addEventListener('abort', () => clearInterval(recheck), { once: true });
  if (signal.aborted) clearInterval(recheck);

  /** Every outcome is sent as a reply, which pages display. */
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
