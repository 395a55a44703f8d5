import { type LogHello, type LogLine, logCloseCodes } from '@portal/contract/logs';
import { getSyncBase, getSyncSocketPaths } from '@portal/contract/sync/base';
import {
  type SyncBatchFrame,
  type SyncSocketMessage,
  syncBatchFrameSchema,
  syncCloseCodes,
  syncSocketReplySchema,
} from '@portal/contract/sync/socket';
import type { ConnectionEvent } from '../../../logs/stream/log-connection.ts';
import type { LogWire } from '../../../logs/stream/log-wire.ts';

/** An integration's log has one sequence for its whole lifetime. */
const streamName = 'integration';

/** Close codes after which reconnecting is pointless; the service reports why. */
const finalCodes: ReadonlySet<number> = new Set([
  logCloseCodes.notSignedIn,
  logCloseCodes.badFrame,
  logCloseCodes.refused,
  logCloseCodes.unknownApp,
  syncCloseCodes.disabled,
]);

/**
 * Streams the log of an integration over the sync socket of its environment. The protocol has no
 * hello frame, so the first frame takes its role.
 */
export function syncLogWire(appId: string, environment: string): LogWire {
  const [path] = getSyncSocketPaths(getSyncBase(environment));
  return {
    path,
    key: `sync ${appId}`,
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
          return [toHello(frame.data, after), streamingEvent, toEvent(frame.data)];
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

const streamingEvent: ConnectionEvent = {
  type: 'frame',
  frame: { type: 'state', state: 'streaming', message: 'Streaming.', retryMs: null },
};

/** Whether this is a heartbeat sent before the service has read the log. It carries no position. */
function isPrematureHeartbeat(frame: SyncBatchFrame): boolean {
  return frame.type === 'beat' && frame.seq === 0;
}

function toHello(frame: SyncBatchFrame, after: LogHello['after']): ConnectionEvent {
  const nextSeq = frame.type === 'gap' ? frame.nextSeq : frame.type === 'lines' ? frame.seq : frame.seq + 1;
  // The sequence number was never issued: the integration was deleted and re-created, with a new
  // log.
  const isRecreated = frame.type === 'gap' && frame.lines === null;
  const stream = isRecreated ? `${streamName} from ${nextSeq}` : (after?.stream ?? streamName);
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
 * Reads a single-line reply, which is how the service refuses a disabled integration. The close
 * that follows reports the failure and its reason.
 */
function readReply(data: unknown): readonly ConnectionEvent[] {
  const reply = syncSocketReplySchema.safeParse(data);
  if (!reply.success) return [{ type: 'garbled' }];
  const { value, key = 'INFO', millis = Date.now(), failed = false } = reply.data;
  const line: LogLine = [millis, key, value];
  return failed ? [] : [{ type: 'unnumbered', line }];
}
