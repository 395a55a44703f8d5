import { once } from 'node:events';
import { logSocket } from '@portal/contract/logs';
import type { Rules } from '@portal/contract/rules';
import { getSyncSocketPaths, type SyncBase, syncBases } from '@portal/contract/sync/base';
import { syncSocket } from '@portal/contract/sync/socket';
import { WebSocket } from 'ws';
import type { TestClient } from '../testing/test-client.ts';

/** What a client can send first on a socket. */
export interface Frame {
  readonly path: string;
  /** The base of the sync service, if it is at one. */
  readonly base?: SyncBase;
  readonly type: string;
  readonly rules: Rules;
}

/** The close code, the status of a refused upgrade, or 'served'. */
export type FrameOutcome = number | 'served';

const list = (path: string, rules: Readonly<Record<string, Rules>>, at: Pick<Frame, 'base'> = {}): Frame[] =>
  Object.entries(rules).map(([type, each]) => ({ path, type, rules: each, ...at }));

/** Every frame at every path. */
export const frames: readonly Frame[] = [
  ...logSocket.paths.flatMap((path) => list(path, logSocket.rules)),
  ...syncBases.flatMap((base) => getSyncSocketPaths(base).flatMap((path) => list(path, syncSocket.rules, { base }))),
];

/** Builds a frame with the fields of its kind only, because others are refused. */
function buildFrame(type: string, appId: string): object {
  if (type === 'hello') return { batch: true };
  return { type, appId, ...(type === 'MERGE' && { config: {} }), ...(type === 'LOG_SESSION' && { batch: true }) };
}

/** Opens a socket and sends its first frame. Returns its outcome and everything it received. */
export async function sendFrame(
  { url, cookieHeaders, headers }: TestClient,
  { path, type }: Pick<Frame, 'path' | 'type'>,
  appId: string,
  fields: object = {},
): Promise<{ readonly outcome: FrameOutcome; readonly text: string }> {
  const socket = new WebSocket(url.replace('http', 'ws') + path.replace(':appId', appId), {
    headers: { ...cookieHeaders, ...headers },
  });
  let text = '';
  socket.on('error', () => undefined);
  socket.once('open', () => socket.send(JSON.stringify({ ...buildFrame(type, appId), ...fields })));
  // The first reply to a refused change only says what failed.
  const served = new Promise<'served'>((resolve) => {
    socket.on('message', (data) => {
      text += data;
      JSON.parse(data.toString()).failed || resolve('served');
    });
  });
  const refused = once(socket, 'unexpected-response').then(([, { statusCode }]): number => statusCode);
  const closed = once(socket, 'close').then(([code, reason]): number => {
    text += reason;
    return code;
  });
  try {
    return { outcome: await Promise.race<FrameOutcome>([served, refused, closed]), text };
  } finally {
    socket.terminate();
  }
}
