import { type LogHello, type LogLine, logCloseCodes } from '@portal/contract/logs';
import { getSyncBase, getSyncSocketPaths } from '@portal/contract/sync-base';
import {
  type SyncBatchFrame,
  type SyncSocketMessage,
  syncBatchFrameSchema,
  syncCloseCodes,
  syncSocketReplySchema,
} from '@portal/contract/sync-socket';
import type { ConnectionEvent } from '../../../logs/log-connection.ts';
import type { LogWire } from '../../../logs/log-wire.ts';

/** Of an integration's log there is one numbering as long as it lives. */
const numbering = 'integration';

/** Come again in vain: the service says why. */
const finalCodes: ReadonlySet<number> = new Set([
  logCloseCodes.notSignedIn,
  logCloseCodes.badFrame,
  logCloseCodes.refused,
  logCloseCodes.unknownApp,
  syncCloseCodes.disabled,
]);

/**
 * The log of an integration, over the sync socket of its environment. It knows no hello: the first
 * frame stands for it.
 */
export function syncLogWire(appId: string, environment: string): LogWire {
  const [path] = getSyncSocketPaths(getSyncBase(environment));
  return {
    path,
    open({ after }) {
      const firstFrame: SyncSocketMessage = {
        type: 'LOG_SESSION',
        appId,
        batch: true,
        ...(after && { after: after.seq }),
      };
      let hasGreeted = false;
      return {
        firstFrame,
        read(data) {
          const frame = syncBatchFrameSchema.safeParse(data);
          if (!frame.success) return readReply(data);
          if (hasGreeted) return [toEvent(frame.data)];
          if (isPrematureHeartbeat(frame.data)) return [connectingEvent];
          hasGreeted = true;
          return [toHello(frame.data, after), toEvent(frame.data)];
        },
        readClose: (code, reason) => ({ type: 'closed', code, reason, isFinal: finalCodes.has(code) }),
      };
    },
  };
}

const connectingEvent: ConnectionEvent = {
  type: 'frame',
  frame: { type: 'state', state: 'connecting', message: 'Opening the stream.', retryMs: null },
};

/** A beat before the service has looked at the log: it says nothing of where the log stands. */
function isPrematureHeartbeat(frame: SyncBatchFrame): boolean {
  return frame.type === 'beat' && frame.seq === 0;
}

function toHello(frame: SyncBatchFrame, after: LogHello['after']): ConnectionEvent {
  const nextSeq = frame.type === 'gap' ? frame.nextSeq : frame.type === 'lines' ? frame.seq : frame.seq + 1;
  // Numbers that were never given out: the integration was deleted and made anew, and so was its
  // log.
  const isRecreated = frame.type === 'gap' && frame.lines === null;
  const stream = isRecreated ? `${numbering} from ${nextSeq}` : (after?.stream ?? numbering);
  const resumed = after === undefined ? 'new' : frame.type === 'gap' ? 'gap' : 'nothing-lost';
  return { type: 'frame', frame: { type: 'hello', stream, nextSeq, resumed } };
}

function toEvent(frame: SyncBatchFrame): ConnectionEvent {
  if (frame.type !== 'gap') return { type: 'frame', frame };
  const { nextSeq, lines } = frame;
  return {
    type: 'frame',
    frame: { type: 'gap', nextSeq, gap: { reason: 'ring', lines, fromMillis: null, toMillis: null } },
  };
}

/**
 * Replies of single lines: how a disabled integration is refused. The close that follows says that
 * it failed, and why.
 */
function readReply(data: unknown): readonly ConnectionEvent[] {
  const reply = syncSocketReplySchema.safeParse(data);
  if (!reply.success) return [{ type: 'garbled' }];
  const { value, key = 'INFO', millis = Date.now(), failed = false } = reply.data;
  const line: LogLine = [millis, key, value];
  return failed ? [] : [{ type: 'unnumbered', line }];
}
