import { type SyncSocketReply, syncSocketReplySchema } from '@portal/contract/sync/socket';
import { Refused } from '@portal/kit/problems';
import type { RawData, WebSocket } from 'ws';
import { badGateway, noConnection, timeoutProblem } from '../../sync-service/sync-problem.ts';

/** The service understood the request but refused it; carries its message. */
export class FailedReply extends Refused {
  readonly reply: SyncSocketReply;

  constructor(reply: SyncSocketReply) {
    super(reply.value);
    this.reply = reply;
  }
}

/**
 * Sends one message on a socket that is being opened and returns the reply. Throws FailedReply if
 * the reply reports a failure, Refused with the reason if the service closes the socket instead,
 * and Unreachable if neither arrives in time.
 */
export function requestReply(socket: WebSocket, frame: string, timeoutMs: number): Promise<SyncSocketReply> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(timeoutProblem(timeoutMs));
      socket.terminate();
    }, timeoutMs);
    socket.on('open', () => socket.send(frame));
    socket.once('message', (data) => {
      const reply = syncSocketReplySchema.safeParse(parseJson(data));
      if (!reply.success) reject(badGateway('its reply is not as expected'));
      else if (reply.data.failed) reject(new FailedReply(reply.data));
      else resolve(reply.data);
      socket.close();
    });
    socket.on('error', (error) => reject(noConnection(error)));
    socket.on('close', (code, reason) => {
      clearTimeout(timer);
      const isExplained = code >= 4000 && code !== 4401 && reason.length > 0;
      reject(isExplained ? new Refused(reason.toString()) : badGateway(`it closed the socket with code ${code}`));
    });
  });
}

function parseJson(data: RawData): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
