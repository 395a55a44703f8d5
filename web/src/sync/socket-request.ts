import { describeSocketClose, logCloseCodes } from '@portal/contract/logs';
import { getSyncBase, getSyncSocketPaths } from '@portal/contract/sync/base';
import type { ConfigProblem } from '@portal/contract/sync/config';
import { type SyncSocketMessage, syncSocketReplySchema } from '@portal/contract/sync/socket';
import { announceSessionEnd } from '../api/call.ts';
import { toSocketUrl } from '../api/socket-url.ts';

/** The sync service rejected the request, with its message and the problems per field. */
export class SyncRefusal extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(message: string, problems: readonly ConfigProblem[]) {
    super(message);
    this.name = 'SyncRefusal';
    this.problems = problems;
  }
}

/**
 * Sends MERGE or DESTROY and returns the text of the first reply, after which the socket closes.
 * Throws SyncRefusal when the reply reports a failure, and an Error with the specified message when
 * the socket closes before a reply.
 */
export function sendSyncSocketRequest(
  environment: string,
  message: Exclude<SyncSocketMessage, { type: 'LOG_SESSION' }>,
): Promise<string> {
  const [path] = getSyncSocketPaths(getSyncBase(environment));
  const socket = new WebSocket(toSocketUrl(path));
  return new Promise((resolve, reject) => {
    socket.onopen = () => socket.send(JSON.stringify(message));
    socket.onmessage = ({ data }) => {
      const reply = syncSocketReplySchema.safeParse(parseJson(String(data)));
      if (!reply.success) reject(new Error('The portal sent a response this page does not understand.'));
      else if (reply.data.failed) reject(new SyncRefusal(reply.data.value, reply.data.problems ?? []));
      else resolve(reply.data.value);
      socket.close(1000);
    };
    // Has no effect after a reply, because the promise is already settled.
    socket.onclose = ({ code, reason }) => {
      if (code === logCloseCodes.notSignedIn) announceSessionEnd();
      reject(new Error([describeSocketClose(code), reason].filter(Boolean).join(' ')));
    };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
