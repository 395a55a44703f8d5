import { getSyncSocketPaths, type SyncBase, syncBases } from '@portal/contract/sync/base';
import * as contract from '@portal/contract/sync/socket';
import { readFirstFrame } from '@portal/edge/first-frame';
import { closeWith } from '@portal/edge/sockets';
import { Problem } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import type { Enforcer } from '../../access/enforcer.ts';
import { requireBase } from '../../access/require-base.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type SocketCall, serveSocket } from '../../http/socket.ts';
import { type Change, changeIntegration } from './change-integration.ts';
import { relayFrames } from './relay-frames.ts';
import { FailedReply } from './request-reply.ts';
import { defaultSyncSocketLimits, type SyncSocketLimits } from './sync-socket-limits.ts';

type SocketParts = Dependencies & { readonly enforcer: Enforcer };

/**
 * Serves the sync service's socket at its three bases and their aliases, as the contract describes.
 */
export function syncSockets(
  app: FastifyInstance,
  dependencies: SocketParts,
  limits: SyncSocketLimits = defaultSyncSocketLimits,
): void {
  for (const base of syncBases) {
    const onCall = (call: SocketCall) => serve(dependencies, limits, base, call);
    for (const path of getSyncSocketPaths(base)) serveSocket(app, dependencies, path, onCall, limits);
  }
}

async function serve(
  dependencies: SocketParts,
  limits: SyncSocketLimits,
  base: SyncBase,
  { socket, caller, signal }: SocketCall,
): Promise<void> {
  const { enforcer, syncService } = dependencies;
  const message = await readFirstFrame(socket, contract.syncSocketMessageSchema, {
    timeoutMs: limits.firstFrameMs,
    beyond: contract.ignoredMessageFields,
    signal,
  });
  if (message.type !== 'LOG_SESSION') return change(message);

  const authorize = async () => {
    requireBase(caller, base);
    await enforcer.authorize(caller, contract.syncSocket.rules.LOG_SESSION, message);
  };
  await authorize();
  relayFrames(socket, syncService.connect(caller), JSON.stringify(message), limits);
  const recheck = setInterval(() => {
    authorize().catch((error: unknown) => {
      // Unreachable only once the last app list is too old for reading.
      if (error instanceof Problem) closeWith(socket, error);
    });
  }, limits.recheckMs);
  signal.addEventListener('abort', () => clearInterval(recheck), { once: true });
  if (signal.aborted) clearInterval(recheck);

  /** Every outcome is sent as a reply, which pages display. */
  async function change(requested: Change): Promise<void> {
    try {
      requireBase(caller, base);
      const rules = contract.syncSocket.rules[requested.type];
      const found = await enforcer.authorize(caller, rules, requested);
      const { app } = found.values;
      reply(
        await enforcer.record(caller, rules.recorded, found, (noted) =>
          changeIntegration(dependencies, { caller, app, change: requested, noted }, limits.replyMs),
        ),
      );
      socket.close(1000);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      reply(error instanceof FailedReply ? error.reply : { value: error.message, failed: true });
      if (error instanceof FailedReply) socket.close(1000);
      else throw error;
    }
  }

  function reply(frame: contract.SyncSocketReply): void {
    socket.send(JSON.stringify(frame));
  }
}
